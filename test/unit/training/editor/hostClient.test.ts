import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/base/node/clock.ts';
import { HostClient } from '../../../../src/training/editor/hostClient.ts';
import { theRun } from '../../../tools/host/scriptedServices.ts';
import { client, wireHost } from '../client/wire/wireHost.ts';

/** What a window knows of a host, up to where something holds of it. */
function reaches(link: HostClient, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (holds()) resolve();
    };
    const listening = link.onChanged(look);
    onTestFinished(() => listening.dispose());
    look();
  });
}

test('a run that was removed elsewhere is gone here, whatever was answered before', async () => {
  const host = await wireHost();
  const link = new HostClient(client({ url: host.server.url, token: host.token() }), systemClock);
  onTestFinished(() => link.dispose());
  await reaches(link, () => link.run(theRun) !== undefined);
  const earlier = await link.connection.ask('run.get', { run: theRun });

  host.scripted.remove();
  await reaches(link, () => link.run(theRun) === undefined);
  link.upsertRun(earlier);
  expect(link.runs).toEqual([]);
});
