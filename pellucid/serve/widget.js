/**
 * A page in a frame that reaches nothing around it, in a cell of a notebook. What it asks goes to
 * the kernel, and the answers go back, by a port that the frame is handed.
 */

/** What the page listens for: web/src/sources/over_port.ts. */
const GREETING = "pellucid";
const GONE = { status: 410, words: "The kernel that answered is gone: run the cell again." };

function render({ model, el }) {
  const view = Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-");
  /** By the number of a question: the port that it came by, and what it is called there. */
  const asked = new Map();
  let count = 0;
  let gone = false;

  function hear(said, [buffer]) {
    if (said.view !== view) return;
    if (said.id === undefined) return open(new TextDecoder().decode(buffer));
    const { port, id } = asked.get(said.id);
    asked.delete(said.id);
    const { status, words } = said;
    if (words !== undefined) return port.postMessage({ id, status, words });
    const { byteOffset, byteLength } = buffer;
    const bytes = buffer.buffer.slice(byteOffset, byteOffset + byteLength);
    port.postMessage({ id, bytes }, [bytes]);
  }

  function open(page) {
    const frame = document.createElement("iframe");
    frame.title = "Explorer";
    frame.sandbox = "allow-scripts";
    frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 0`;
    // Again whenever the notebook moves the frame about, which loads it anew.
    frame.onload = () => connect(frame.contentWindow);
    frame.srcdoc = page;
    el.replaceChildren(frame);
  }

  function connect(page) {
    const { port1: port, port2: theirs } = new MessageChannel();
    port.onmessage = ({ data: { id, kind, asked: question } }) => {
      if (gone) return port.postMessage({ id, ...GONE });
      asked.set(++count, { port, id });
      model.send({ say: "ask", view, id: count, kind, asked: question });
    };
    page.postMessage(GREETING, "*", [theirs]);
  }

  function lose() {
    gone = true;
    for (const { port, id } of asked.values()) port.postMessage({ id, ...GONE });
    asked.clear();
  }

  // Until the kernel sends the page, and where none ever will.
  const instead = document.createElement("div");
  instead.innerHTML = model.get("instead");
  el.append(instead);
  model.on("msg:custom", hear);
  model.on("comm_live_update", lose);
  model.send({ say: "open", view });
  return () => {
    model.off("msg:custom", hear);
    model.off("comm_live_update", lose);
    model.send({ say: "leave", view });
  };
}

export default { render };
