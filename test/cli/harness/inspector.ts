import { onTestFinished } from 'vitest';
import { inspectorSocket } from '../../tools/inspectorSocket.ts';

/**
 * What a JavaScript debugger without breakpoints does: attaches to a process that waits for one, lets it go, and
 * detaches when it is through, for which the process waits once more. Resolves when it has let it go.
 */
export async function attachAndContinue(url: string): Promise<void> {
  const socket = await inspectorSocket(url);
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
  for (const method of ['Runtime.enable', 'Debugger.enable', 'Runtime.runIfWaitingForDebugger']) send(method);
  await paused;
  send('Debugger.resume');
}
