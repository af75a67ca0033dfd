import { expect, it } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { rpcErrors, wireLimits } from '../../../../../src/training/core/protocol/wire.ts';
import { ClientConnection, whenConnected } from '../../../../../src/training/core/wire/clientConnection.ts';
import type { DialHandlers } from '../../../../../src/training/core/contracts.ts';
import { wireErrors } from '../../../../../src/training/core/wire/failures.ts';
import { theRun } from '../../../../tools/host/scriptedServices.ts';
import { FakeClock } from '../../../fakeClock.ts';

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: object;
}

/**
 * To a host of which only the connection is there.
 *
 * @param says what it answers; by default nothing
 */
function connected(says: (request: Request) => object | undefined = () => undefined) {
  const clock = new FakeClock();
  const closed: number[] = [];
  const seen = { dials: 0 };
  const network: { cut: () => void; brings: (message: object) => void } = {
    cut: () => undefined,
    brings: () => undefined,
  };
  const connection = new ClientConnection({
    clock,
    random: () => 0,
    client: { name: 'tests', version: '0' },
    dial: (heard: DialHandlers) => {
      seen.dials += 1;
      network.brings = (message) => heard.text(JSON.stringify(message));
      network.cut = () => heard.closed({ reason: 'The connection was cut.', isFinal: false });
      clock.after(0, () => heard.opened());
      return {
        sendText: (text) => {
          const answer = says(JSON.parse(text as string) as Request);
          if (answer !== undefined) network.brings(answer);
        },
        sendBytes: () => undefined,
        buffered: 0,
        drained: () => Promise.resolve(),
        setReading: () => undefined,
        close: (code) => closed.push(code),
      };
    },
  });
  return { clock, closed, seen, network, connection };
}

it('a host that takes connections and answers no hello is left, and tried again', () => {
  const { clock, closed, seen, connection } = connected();
  clock.advance(wireLimits.hello * 1_000 - 1);
  expect(connection.state.kind).toBe('connecting');
  clock.advance(1);
  expect(connection.state).toMatchObject({
    kind: 'waiting',
    reason: 'The connection to the host was closed: it does not respond to the hello',
  });
  expect(closed).toEqual([4400]);
  clock.advance(500);
  expect(seen.dials).toBe(2);
  connection.dispose();
  clock.advance(60_000);
  expect(seen.dials).toBe(2);
});

it('a host of an older version of the protocol is not tried again, and what to do is told', async () => {
  const { code, message, hint } = wireErrors.noVersion(0, 0);
  const { clock, seen, connection } = connected(({ id }) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32_000, message, data: { code, message, hint } },
  }));
  clock.advance(0);
  await expect(connection.ask('run.list', {})).rejects.toMatchObject({
    message: expect.stringContaining(message) as string,
  });
  expect(connection.state).toEqual({ kind: 'ended', reason: message, hint });
  expect(hint).toBe('Update AgentJet on the older side.');
  clock.advance(60_000);
  expect(seen.dials).toBe(1);
});

/** To a host that answers nothing but the hello. */
function greeted() {
  const sent: Request[] = [];
  const host = { id: 'a-host', name: 'tests', version: '0' };
  const hello = { version: 1, host, scopes: [], as: 'tests' };
  const parts = connected((request) => {
    if (request.method === 'hello') return { jsonrpc: '2.0', id: request.id, result: hello };
    sent.push(request);
    return undefined;
  });
  return { ...parts, sent };
}

it('of what a host of an earlier version does not know, that is told', async () => {
  const { clock, network, connection, sent } = greeted();
  clock.advance(0);
  await whenConnected(connection, neverCancelled);
  const asked = connection.ask('run.config', { run: theRun });
  const error = { code: rpcErrors.methodNotFound, message: 'The host has no such method.' };
  network.brings({ jsonrpc: '2.0', id: sent[0]?.id, error });
  await expect(asked).rejects.toMatchObject({
    code: 'host/older',
    message: 'The host has an earlier version of AgentJet, which does not support `run.config`.',
  });
  connection.dispose();
});

it('what was cancelled is not asked again on the next connection', async () => {
  const { clock, network, connection, sent } = greeted();
  const reached = (): Promise<void> => whenConnected(connection, neverCancelled);
  clock.advance(0);
  await reached();
  const cancellation = new CancellationSource();
  const cancelled = connection.ask('run.get', { run: theRun }, cancellation.token);
  const wanted = connection.ask('run.list', {});
  expect(sent.map(({ method }) => method)).toEqual(['run.get', 'run.list']);
  cancellation.cancel();
  await expect(cancelled).rejects.toMatchObject({ code: 'host/cancelled' });

  network.cut();
  clock.advance(500);
  await reached();
  expect(sent.map(({ method }) => method)).toEqual(['run.get', 'run.list', 'run.list']);
  connection.dispose();
  await expect(wanted).rejects.toMatchObject({ code: 'host/not-connected' });
});

it('a transfer that the host opens once it was cancelled is stopped', async () => {
  const { clock, network, connection, sent } = greeted();
  clock.advance(0);
  await whenConnected(connection, neverCancelled);
  const cancellation = new CancellationSource();
  const params = { run: theRun, path: 'weights', offset: 0, length: 1 };
  const downloaded = connection.download({ method: 'file.get', params }, cancellation.token);
  while (sent.length === 0) await Promise.resolve();
  cancellation.cancel();
  await expect(downloaded).rejects.toMatchObject({ code: 'host/cancelled' });
  network.brings({ jsonrpc: '2.0', id: sent[0]?.id, result: { transfer: 7, bytes: 1 } });
  expect(sent).toMatchObject([{ method: 'file.get' }, { method: 'transfer.stop', params: { transfer: 7 } }]);
  connection.dispose();
});
