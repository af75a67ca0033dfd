/**
 * Opens the inspector of a process that listens on a port. A handshake can fail, and a connection be closed, while the
 * inspector begins: who gave up then would leave the process, and the test, waiting.
 */
export async function inspectorSocket(port: number): Promise<WebSocket> {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const list = await fetch(`http://127.0.0.1:${port}/json/list`);
    const [target] = (await list.json()) as { readonly webSocketDebuggerUrl: string }[];
    const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
    if (await answers(socket)) return socket;
  }
  throw new Error(`The inspector on port ${port} takes no client.`);
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
