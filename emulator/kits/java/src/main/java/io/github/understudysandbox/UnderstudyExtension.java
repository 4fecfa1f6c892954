package io.github.understudysandbox;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives JUnit 5 tests an {@link Understudy} and a {@link World} as parameters: one emulator for all tests of a run, and a
 * world for each test, which is deleted after it. Tests may run in parallel. The standard error of a failed test has the
 * requests of its world, and those that reached no world while it ran.
 *
 * <p>{@code @ExtendWith(UnderstudyExtension.class)} starts the emulator without options;
 * {@code @RegisterExtension static UnderstudyExtension understudy = new UnderstudyExtension(options)} starts one with options.
 */
public final class UnderstudyExtension implements ParameterResolver, AfterEachCallback {
    private static final Namespace SERVERS = Namespace.create(UnderstudyExtension.class, Server.class);
    private static final Namespace WORLDS = Namespace.create(UnderstudyExtension.class, TestWorld.class);
    private static final Options DEFAULT = new Options();

    private final Options options;

    /** Makes an extension whose emulator is started without options. */
    public UnderstudyExtension() {
        this(DEFAULT);
    }

    /**
     * Makes an extension that has an emulator of its own.
     *
     * @param options the options of its emulator
     */
    public UnderstudyExtension(Options options) {
        this.options = options;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Understudy.class || type == World.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Understudy understudy = understudy(context);
        if (parameter.getParameter().getType() == Understudy.class) {
            return understudy;
        }
        if (context.getTestMethod().isEmpty()) {
            throw new ParameterResolutionException("a World belongs to one test: take it in the test's method, or in one with @BeforeEach");
        }
        return context.getStore(WORLDS).getOrComputeIfAbsent(options,
                o -> new TestWorld(understudy.world(name(context)), understudy.lastUnmatched()), TestWorld.class).world;
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestWorld test = context.getStore(WORLDS).remove(options, TestWorld.class);
        if (test == null) {
            return;
        }
        try (World world = test.world) {
            if (context.getExecutionException().isPresent()) {
                print("the requests of " + name(context), world.requests());
                print("the requests that reached no world while it ran", understudy(context).unmatchedSince(test.earlier));
            }
        }
    }

    /** Prints in one call, so that the lines of tests that run in parallel do not mix. */
    private static void print(String what, String requests) {
        if (!requests.isEmpty()) {
            System.err.print("understudy: " + what + ":\n" + requests);
        }
    }

    private Understudy understudy(ExtensionContext context) {
        return context.getRoot().getStore(SERVERS)
                .getOrComputeIfAbsent(options, o -> new Server(Understudy.start(o)), Server.class).understudy;
    }

    /** Returns the name of a test: of one that runs several times also which time it is. */
    private static String name(ExtensionContext context) {
        String name = context.getRequiredTestClass().getSimpleName() + "." + context.getRequiredTestMethod().getName();
        String display = context.getDisplayName();
        return display.startsWith(context.getRequiredTestMethod().getName()) ? name : name + " " + display;
    }

    private record TestWorld(World world, String earlier) {
    }

    private record Server(Understudy understudy) implements ExtensionContext.Store.CloseableResource {
        @Override
        public void close() {
            understudy.close();
        }
    }
}
