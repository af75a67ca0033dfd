/** What a client hears of an episode of a trace that is run again. */
import { describe, it } from 'vitest';
import { fixtures } from './scriptedLauncher.ts';
import {
  attachTo,
  connect,
  endSessions,
  expectGolden,
  initialize,
  isChildRequest,
  launching,
  start,
} from './sessions.ts';

endSessions();

describe('an episode that is replayed', () => {
  const replaying = (diverges: boolean) => ({
    ...{ noDebug: true, replay: 'recorded.ajtrace', episode: 3, cwd: fixtures },
    // A recording needs neither, so it is not looked for.
    ...{ model: 'endpoint', endpoint: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm', apiKeyEnv: 'NO_KEY' } },
    env: { SCENARIO: 'replays', TRACED: '1', ...(diverges && { DIVERGES: '1' }) },
  });

  it('is the only one, and tells what was recorded', async () => {
    const { client } = connect();
    await start(client, 'replays', replaying(false));
    await client.event('terminated');
    await expectGolden(client, 'replay-episode');
  });

  it('fails where it parts from its recording', async () => {
    const { client } = connect();
    await start(client, 'replays', replaying(true));
    await client.event('terminated');
    await expectGolden(client, 'replay-diverges');
  });

  it('stops as any other under a debugger', async () => {
    const { client } = connect();
    await start(client, 'replays', { ...replaying(false), noDebug: false });
    const child = await client.until(isChildRequest);
    const { configuration } = child.arguments as { configuration: { websocketAddress: string } };
    client.answer(child, true);
    await attachTo(configuration.websocketAddress);
    await client.event('terminated');
    await expectGolden(client, 'replay-debugged');
  });

  it('is refused where its number or what it misses is none', async () => {
    for (const wrong of [{ episode: -1 }, { onReplayMiss: 'guess' }]) {
      const { client } = connect();
      await client.request('initialize', initialize);
      await client.request('launch', launching('replays', { ...replaying(false), ...wrong }));
      await expectGolden(client, `replay-refused-${Object.keys(wrong).join()}`);
    }
  });
});
