/** Questions to a server, by HTTP. */

import { Refused, type Transport } from "./remote";

const NO_ANSWER = 504;
const SILENT = "The server does not answer: is pellucid explore still running? Then try again.";

/** @param address of the server's interface. */
export function overHttp(address: string): Transport {
  const token = new URLSearchParams(location.search).get("token");
  return async (kind, question) => {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (token) headers["x-pellucid-token"] = token;
    const body = JSON.stringify(question);
    let answer: Response;
    try {
      answer = await fetch(`${address}${kind}`, { method: "POST", headers, body });
      if (answer.ok) return await answer.arrayBuffer();
    } catch {
      throw new Refused(NO_ANSWER, SILENT);
    }
    throw new Refused(answer.status, await answer.text());
  };
}
