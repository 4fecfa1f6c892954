package io.github.understudysandbox;

/** A call of the control plane failed. Its message is the server's. */
public final class ControlException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The status of the answer. */
    private final int status;
    private final transient Document document;

    ControlException(String message, int status, Document document) {
        super(message);
        this.status = status;
        this.document = document;
    }

    /** Throws this unless it has a status. */
    void unless(int expected) {
        if (status != expected) {
            throw this;
        }
    }

    /**
     * Returns the status of the answer.
     *
     * @return such as 400; 0 when there was no answer
     */
    public int status() {
        return status;
    }

    /**
     * Returns the whole answer.
     *
     * @return the answer, or null if it is not JSON
     */
    public Document document() {
        return document;
    }
}
