package io.github.understudysandbox;

/** A call that the control plane refused. */
public final class ControlPlaneException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The message of the control plane alone. */
    final String reason;
    /** The status of the answer. */
    private final int status;

    ControlPlaneException(String call, int status, String reason) {
        super(call + ": " + status + ": " + reason);
        this.reason = reason;
        this.status = status;
    }

    /**
     * Returns the status of the answer.
     *
     * @return such as 400
     */
    public int status() {
        return status;
    }
}
