// One stream of events for all tabs of a browser, as a SharedWorker; where that is missing, a Worker for its page. A page sends
// "hello" again and again while it is open, and "bye" when it is left. It gets the events of the stream, and "back" or "lost".
"use strict";

(() => {
  const seen = new Map(); // the last hello, by port
  const patience = 180_000; // browsers let a tab in the background wake once a minute
  const pause = 2_000; // before a refused stream is opened again
  let source = null;
  let retry = 0;
  let state = null;

  const tell = (message) => { for (const port of seen.keys()) port.postMessage(message); };

  const become = (type) => {
    if (state?.type === type) return;
    state = { type };
    tell(state);
  };

  const open = () => {
    retry = 0;
    source = new EventSource(new URL("../../live", location.href));
    source.addEventListener("open", () => become("back"));
    source.addEventListener("error", () => {
      become("lost");
      if (source.readyState !== EventSource.CLOSED) return; // the browser tries again
      source = null;
      retry = setTimeout(open, pause);
    });
    for (const type of ["request", "change", "many"]) {
      source.addEventListener(type, (event) => tell({ type, ...JSON.parse(event.data) }));
    }
  };

  const leave = (port) => {
    seen.delete(port);
    if (seen.size > 0) return;
    clearTimeout(retry);
    source?.close();
    source = state = null;
    retry = 0;
  };

  const join = (port) => {
    port.onmessage = ({ data }) => {
      if (data === "bye") return leave(port);
      if (!seen.has(port) && state) port.postMessage(state);
      seen.set(port, Date.now());
      if (!source && !retry) open();
    };
  };

  setInterval(() => {
    for (const [port, at] of seen) if (Date.now() - at > patience) leave(port);
  }, patience / 3);

  if (globalThis.SharedWorkerGlobalScope) onconnect = ({ ports: [port] }) => join(port);
  else join(globalThis);
})();
