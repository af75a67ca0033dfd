/** Two episodes beside each other, of real trace files. */
import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { TracedMessage, TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import { aCall, anEpisode, aResult, aRun } from '../../unit/traces/samples.ts';
import { violations } from '../harness/accessibility.ts';
import { RealTrace } from '../harness/realTrace.ts';
import { nodesOf, picture, useViewer } from '../harness/viewer.ts';
import { Words } from '../harness/words.ts';

const open = useViewer();

interface Run {
  readonly experiment?: string;
  readonly taskId?: string;
  readonly question?: string;
  readonly others?: Readonly<Record<string, RealTrace>>;
}

/** Repeats of a task, each with its answer. */
function repeats(answers: readonly (readonly string[])[], run: Run = {}): RealTrace {
  const { experiment = 'math', taskId = 'legs', question: query = 'How many legs?', others } = run;
  const words = new Words();
  const question = words.message('user', ['How', ' many', ' legs', '?']);
  const thought = words.message('assistant', ['Let', ' me', ' count', '.']);
  const told = words.message('user', ['Go', ' on', '.']);
  const conversations = answers.map((answer) => [
    question,
    thought,
    told,
    words.message('assistant', answer),
  ]);
  const facts = aRun({ experiment, repeat: answers.length, tasks: 1, episodes: answers.length });
  const write = (writer: TraceWriter): void => {
    conversations.forEach((messages: readonly TracedMessage[], episode) => {
      writer.episodeStarted(anEpisode(episode, { taskId, query, repeat: episode }));
      const call = aCall(episode, 0, { messages: [0, 1, 2], reply: 3 });
      const added = messages.map((message, position) => ({ position, message }));
      writer.callEnded(call, added, episode === 0 ? words.tokens : []);
      const tokens = messages.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
      const timeline = { calls: [0], messages: [0, 1, 2, 3], tokens, trainableTokens: 10 };
      const result = aResult(episode, {
        taskId,
        repeat: episode,
        reward: episode === 1 ? 0 : 1,
        metrics: { format: episode === 1 ? 0.25 : 0.5 },
      });
      writer.episodeEnded({ result, timelines: [timeline] }, []);
    });
  };
  return new RealTrace(facts, write, others);
}

const few = () =>
  repeats([
    ['It', ' is', ' 108', '.', '\n', 'Done'],
    ['It', ' is', ' 96', ',', ' I', ' think', '.', '\n', 'End'],
    ['It', ' is', ' 108', '.', '\n', 'Done'],
  ]);

describe('two episodes of a task', () => {
  test('are compared from the episode, with the one whose reward differs most', async () => {
    const { page } = await open(few(), { place: 'episode=0' });
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('heading', { name: 'Episode 0 and episode 1' }).waitFor();
    const parting = page.getByRole('region', { name: 'First difference' });
    await parting.getByText('First difference at token 31').waitFor();
    await parting.getByText('token 5 of message 3 (assistant)').waitFor();
    await parting.getByText('" 108"').waitFor();
    await parting.getByText('" 96"').waitFor();
    const rows = page.getByRole('table').getByRole('row');
    expect(await rows.allTextContents()).toEqual([
      'PartLeftRightRight − left',
      'reward10−1',
      'format0.50.25−0.25',
    ]);
    await page.locator('.side-left .piece-changed .token.first-difference', { hasText: '108' }).waitFor();
    await page.locator('.side-right .piece-changed .token.first-difference', { hasText: '96' }).waitFor();
    expect(await page.locator('.compare-row .badge').allTextContents()).toEqual([
      'same',
      'same',
      'same',
      'differs',
    ]);
  });

  test('are swapped, gone through by keys, and led to their timelines', async () => {
    const { page } = await open(few(), { place: 'episode=0&compare=1' });
    await page.getByText('Difference 1 of 2').waitFor();
    await page.keyboard.press('n');
    await page.getByText('Difference 2 of 2').waitFor();
    await page.keyboard.press('p');
    await page.getByText('Difference 1 of 2').waitFor();
    await page.keyboard.press('s');
    await page.getByRole('heading', { name: 'Episode 1 and episode 0' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Episode 1 and episode 0' }).waitFor();
    await page
      .getByRole('region', { name: 'First difference' })
      .getByRole('button', { name: 'Open' })
      .first()
      .click();
    await page.locator('#token-31.current', { hasText: '96' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Difference 1 of 2').waitFor();
  });

  test('that say the same have no difference', async () => {
    const { page } = await open(few(), { place: 'episode=0&compare=2' });
    await page.getByText('Both have the same tokens.').waitFor();
    await page.getByText('No difference').waitFor();
    await page.getByRole('region', { name: 'Right' }).getByLabel('Episode').selectOption({ value: '1' });
    await page.getByText('First difference at token 31').waitFor();
  });

  test('a task with one episode has nothing to compare', async () => {
    const { page } = await open(repeats([['It', ' is']]), { place: 'episode=0&compare=' });
    await page.getByText('There is no episode to compare with.').waitFor();
  });

  test('long ones are drawn in part, and scrolled to the place where they part', async () => {
    const long = Array.from({ length: 40_000 }, (_, at) => [' a', ' b', ' c', '\n'][at % 4] ?? '');
    const { page, trace } = await open(
      repeats([
        [...long, ' 108', ...long, ' end'],
        [...long, ' 96', ...long],
      ]),
      { place: 'episode=0&compare=1' },
    );
    await page.getByText('First difference at token 40,029').waitFor();
    await page.locator('.side-right .token.first-difference', { hasText: '96' }).waitFor();
    expect(await nodesOf(page)).toBeLessThan(6_000);
    await page.keyboard.press('n');
    await page.locator('.side-left .token', { hasText: /^ ?end$/ }).waitFor();
    for (const request of trace.requests) {
      if (request.method === 'tokens') expect(request.limit).toBeLessThanOrEqual(512);
    }
  });
});

describe('the same task of two runs', () => {
  const other = (run: Run = {}) =>
    repeats(
      [
        ['It', ' is', ' 108', '.', '\n', 'Done'],
        ['It', ' is', ' 7', '.'],
      ],
      { experiment: 'later', ...run },
    );
  const withOthers = (others: Readonly<Record<string, RealTrace>>) =>
    repeats(
      [
        ['It', ' is', ' 96', '.'],
        ['It', ' is', ' 108', '.', '\n', 'Done'],
      ],
      { others },
    );

  test('are found by the task, and compared, swapped and chosen anew', async () => {
    const trace = withOthers({
      'later.ajtrace': other(),
      'none.ajtrace': other({ taskId: 'arms', question: 'How many arms?' }),
    });
    const { page } = await open(trace, { place: 'episode=0&compare=1' });
    await page.getByRole('heading', { name: 'Episode 0 and episode 1' }).waitFor();
    await page.keyboard.press('o');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('later, started').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'later.ajtrace' }).click();
    // The same repeat of the other run.
    await page
      .getByRole('heading', { name: 'math, episode 0 and later (later.ajtrace), episode 0' })
      .waitFor();
    await page.locator('.side-left .token', { hasText: '96' }).waitFor();
    await page.locator('.side-right .token', { hasText: '108' }).waitFor();
    expect(await page.getByRole('table').getByRole('row').count()).toBe(3);
    await page.getByRole('region', { name: 'Right' }).getByLabel('Episode').selectOption({ value: '1' });
    await page.locator('.side-right .token', { hasText: '7' }).waitFor();
    await page.keyboard.press('s');
    await page
      .getByRole('heading', { name: 'later (later.ajtrace), episode 1 and math, episode 0' })
      .waitFor();
    await page.locator('.side-left .token', { hasText: '7' }).waitFor();
    await page.reload();
    await page
      .getByRole('heading', { name: 'later (later.ajtrace), episode 1 and math, episode 0' })
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'compare-runs');
    // What is of the other run opens in a viewer of its own only.
    expect(await page.getByRole('region', { name: 'Left' }).getByRole('button').count()).toBe(0);
    await page.getByRole('button', { name: 'Compare with another repeat' }).click();
    await page.getByRole('heading', { name: 'Episode 0 and episode 1' }).waitFor();
  });

  test('that the other run does not have says so, with what to do', async () => {
    const none = other({ taskId: 'arms', question: 'How many arms?' });
    const { page } = await open(withOthers({ 'none.ajtrace': none }), { place: 'group=0' });
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: 'Compare with another run' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'none.ajtrace' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('The other run has no episode of the task "legs"').waitFor();
    await alert.getByText('Choose a run over the same tasks').waitFor();
    await page.getByRole('button', { name: 'Compare with another run' }).waitFor();
    expect(await violations(page)).toEqual([]);
  });

  test('with one id and different texts are told apart', async () => {
    const changed = other({ question: 'How many hands?' });
    const { page } = await open(withOthers({ 'changed.ajtrace': changed }), {
      place: 'episode=1&compare=&otherRun=changed.ajtrace',
    });
    await page.getByText('The tasks have the same id and different queries').waitFor();
    await page
      .getByRole('heading', { name: 'math, episode 1 and later (changed.ajtrace), episode 1' })
      .waitFor();
  });

  test('without another run it says how to name one, from the list of the run', async () => {
    const { page } = await open(few());
    await page.locator('.body-row').first().waitFor();
    await page.keyboard.press('o');
    await page.getByRole('dialog').getByText('agentjet trace FILE.ajtrace OTHER.ajtrace').waitFor();
  });
});

const themes: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  'forced-colors': { colorScheme: 'dark', forcedColors: 'active', contrast: 'more' },
  narrow: { colorScheme: 'light', viewport: { width: 520, height: 800 } },
};

test.each(Object.entries(themes))('it is accessible: %s', async (theme, context) => {
  const { page } = await open(few(), { place: 'episode=0&compare=1', context });
  await page.locator('.token.first-difference').first().waitFor();
  await picture(page, `compare-${theme}`);
  expect(await violations(page)).toEqual([]);
});
