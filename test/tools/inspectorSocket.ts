/**
 * Opens the inspector of a process. A handshake can fail, and a connection be closed, while the inspector begins: who
 * gave up then would leave the process, and the test, waiting.
 */
export async function inspectorSocket(url: URL | string): Promise<WebSocket> {
  for (const end = Date.now() + 45_000; Date.now() < end;) {
    const socket = new WebSocket(url);
    if (await answers(socket)) return socket;
  }
  throw new Error(`The inspector at ${String(url)} takes no client.`);
}

/** Only a message proves that it is there to stay. */
function answers(socket: WebSocket): Promise<boolean> {
  return new Promise((resolve) => {
    const once = { once: true };
    socket.addEventListener(
      'open',
      () => socket.send(JSON.stringify({ id: 0, method: 'Schema.getDomains' })),
      once,
    );
    socket.addEventListener('message', () => resolve(true), once);
    for (const end of ['error', 'close'] as const) socket.addEventListener(end, () => resolve(false), once);
  });
}
