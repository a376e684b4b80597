/** Questions to a server, by HTTP. */

import { Refused, type Transport } from "./remote";

/** @param address of the server's interface. */
export function overHttp(address: string): Transport {
  const token = new URLSearchParams(location.search).get("token");
  return async (kind, question) => {
    const headers: Record<string, string> = { "content-type": "application/json" };
    if (token) headers["x-pellucid-token"] = token;
    const body = JSON.stringify(question);
    const answer = await fetch(`${address}${kind}`, { method: "POST", headers, body });
    if (!answer.ok) throw new Refused(answer.status, await answer.text());
    return answer.arrayBuffer();
  };
}
