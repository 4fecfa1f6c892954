package io.github.understudysandbox;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A webhook of a world on a free loopback port. It answers 204 to every event, and ends with the world. */
public final class Receiver implements AutoCloseable {
    private final World world;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "understudy-receiver");
        thread.setDaemon(true);
        return thread;
    });
    private final List<Document> events = new ArrayList<>();
    private final Set<Integer> taken = new HashSet<>(); // the numbers of events that were returned

    Receiver(World world) {
        this.world = world;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/", exchange -> {
            String text = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            came(new Document(Json.parse(text)));
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.setExecutor(threads);
        server.start();
    }

    private synchronized void came(Document event) {
        events.add(event);
        notifyAll();
    }

    /** {@return the URL that is subscribed} */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** {@return all events so far, in the order in which they came} */
    public synchronized List<Document> events() {
        return List.copyOf(events);
    }

    /**
     * Returns the next event, whatever it is. See {@link #next(Map)}.
     *
     * @return the event
     * @throws AssertionError if none comes within 10 s
     */
    public Document next() {
        return next(Map.of());
    }

    /**
     * Returns the first event that no call has returned yet, of those that are wanted. It waits until there is one.
     *
     * @param wanted values for event, state, advance (a span by which the world's clock moves on first) or within (a span of real
     *     time to wait, 10 s unless set), such as Map.of("state", "completed", "advance", "48h")
     * @return the event as it came, such as with data.verification_request_id
     * @throws AssertionError if none comes in time; its message has those that came
     */
    public Document next(Map<String, ?> wanted) {
        if (wanted.get("advance") != null) {
            world.advance(Json.span(wanted.get("advance")));
        }
        Duration within = wanted.get("within") instanceof Duration given ? given : Duration.ofSeconds(10);
        long end = System.nanoTime() + within.toNanos();
        synchronized (this) {
            while (true) {
                for (int i = 0; i < events.size(); i++) {
                    if (is(wanted, "event", events.get(i).text("hook.event")) && is(wanted, "state", events.get(i).text("data.state"))
                            && taken.add(i)) {
                        return events.get(i);
                    }
                }
                long left = end - System.nanoTime();
                if (left <= 0) {
                    throw new AssertionError("no event " + wanted + " came within " + within.toMillis() + " ms: "
                            + events.stream().map(e -> e.text("hook.event") + " " + e.text("data.state")).toList() + " came");
                }
                try {
                    wait(left / 1_000_000 + 1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new AssertionError("the thread was interrupted", e);
                }
            }
        }
    }

    private static boolean is(Map<String, ?> wanted, String name, String value) {
        return wanted.get(name) == null || wanted.get(name).equals(value);
    }

    /** Closes the port. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdown();
    }
}
