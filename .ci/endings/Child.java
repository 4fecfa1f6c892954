import io.github.understudysandbox.Understudy;

class Child {
    public static void main(String[] args) throws Exception {
        System.out.println("ready " + Understudy.start().url());
        switch (args[0]) {
            case "throw" -> throw new IllegalStateException("an uncaught error");
            case "abort" -> Runtime.getRuntime().halt(134);
            default -> Thread.sleep(600_000);
        }
    }
}
