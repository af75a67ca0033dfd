import { onTestFinished } from 'vitest';
import { inspectorSocket } from '../../tools/inspectorSocket.ts';

/**
 * What a JavaScript debugger without breakpoints does: attaches to a process that waits for one, lets it go, and
 * detaches when it is through, for which the process waits once more. Resolves when it has let it go.
 */
export async function attachAndContinue(url: string): Promise<void> {
  const socket = await inspectorSocket(url);
  onTestFinished(() => socket.close());
  const methods = ['Runtime.enable', 'Debugger.enable', 'Runtime.runIfWaitingForDebugger'];
  const released = new Promise<void>((resolve) => {
    socket.addEventListener('message', ({ data }) => {
      const { id, method } = JSON.parse(String(data)) as { readonly id?: number; readonly method?: string };
      if (id === methods.length) resolve();
      if (method === 'Runtime.executionContextDestroyed') socket.close();
    });
  });
  for (const [at, method] of methods.entries()) socket.send(JSON.stringify({ id: at + 1, method }));
  await released;
}
