package io.github.understudysandbox;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The wait for a state of a verification request.
 *
 * @param world its world
 * @param control the control plane of the world
 * @param id its id
 * @param state the state
 */
record Wait(World world, Control control, String id, String state) {
    private static final int LOOK_MILLIS = 20;

    /** Returns the request once it is in the state. */
    Document within(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        control.items("verification-requests", Map.of("state", state, "limit", 1)); // refuses what is no state
        while (true) {
            Document request = world.verificationRequest(id);
            if (request.text("state").equals(state)) {
                return request;
            }
            Document next = ((List<?>) request.get("timeline")).stream().map(Document::new)
                    .filter(step -> step.text("place").equals("next")).findFirst().orElse(null);
            // One that is not stored begins when it is asked for.
            boolean stored = world.verificationRequests().stream().anyMatch(r -> r.text("id").equals(id));
            if (System.nanoTime() - end >= 0) {
                throw new AssertionError(id + " is " + request.text("state") + ", not " + state + ", after "
                        + Json.span(limit).replaceFirst("s$", " s: ") + waitsFor(next, stored));
            }
            moveOrPause(stored && next != null ? next.text("at") : null);
        }
    }

    private static String waitsFor(Document next, boolean stored) {
        if (!stored) {
            return "no request has asked for it";
        }
        return next == null ? "no step of its timeline follows" : next.text("state") + " comes " + next.text("after");
    }

    /** Moves the clock to an instant, unless the code under test has moved it further, or pauses where there is no instant. */
    private void moveOrPause(String at) {
        try {
            if (at == null) {
                Thread.sleep(LOOK_MILLIS);
            } else {
                world.setClock(at);
            }
        } catch (ControlException e) {
            e.unless(409);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the thread was interrupted while it waited", e);
        }
    }
}
