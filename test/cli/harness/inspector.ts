import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/**
 * What a JavaScript debugger without breakpoints does: attaches to a process that waits for one, lets it go, and
 * detaches when it is through, for which the process waits once more. Resolves when it has let it go.
 */
export async function attachAndContinue(port: number): Promise<void> {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    readonly webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(targets[0]?.webSocketDebuggerUrl ?? '');
  onTestFinished(() => socket.close());
  let id = 0;
  const send = (method: string): void => socket.send(JSON.stringify({ id: ++id, method }));
  const paused = new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const { method } = JSON.parse(String(data)) as { readonly method?: string };
      if (method === 'Debugger.paused') resolve();
      if (method === 'Runtime.executionContextDestroyed') socket.close();
    });
  });
  await once(socket, 'open');
  for (const method of ['Runtime.enable', 'Debugger.enable', 'Runtime.runIfWaitingForDebugger']) send(method);
  await paused;
  send('Debugger.resume');
}
