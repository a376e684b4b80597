/** Questions to a notebook's kernel, by way of the cell that this page is framed in. */

import { Refused, type Transport } from "./remote";

/** What the cell hands over, with a port: pellucid/serve/widget.js. */
const GREETING = "pellucid";

type Answer = { id: number } & ({ status: number; words: string } | { bytes: ArrayBuffer });

/** @param own the window of this page; nobody but the one that frames it is listened to. */
export function overPort(own: Window): Transport {
  const waiting = new Map<number, (answer: Answer) => void>();
  const connected = new Promise<MessagePort>((resolve) => {
    own.addEventListener("message", ({ source, data, ports }) => {
      if (source === own.parent && data === GREETING && ports.length) resolve(ports[0]);
    });
  });
  void connected.then((port) => {
    port.onmessage = ({ data }: MessageEvent<Answer>) => {
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    };
  });
  let asked = 0;
  return async (kind, question) => {
    const port = await connected;
    const id = ++asked;
    return new Promise((resolve, reject) => {
      waiting.set(id, (answer) =>
        "words" in answer
          ? reject(new Refused(answer.status, answer.words))
          : resolve(answer.bytes),
      );
      port.postMessage({ id, kind, asked: JSON.stringify(question) });
    });
  };
}
