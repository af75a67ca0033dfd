/** What the page of a training run says when it does not train: before, after, cut off; in every theme, size and language. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { RunRecord } from '../../../src/training/core/protocol/runs.ts';
import type { RunPageMessage } from '../../../src/training/core/page/trainingRunRpc.ts';
import { violations } from '../harness/accessibility.ts';
import { isTooWide, overlaps } from '../harness/layout.ts';
import { englishOf, readablesOf, stringsIn } from '../harness/readables.ts';
import { useRunPage } from '../harness/runPage.ts';
import { checkpointsOf, eventsOf, gpuMessages, idOf, shownRun, startedAt } from '../harness/trainingRuns.ts';
import { picture } from '../harness/viewer.ts';

const open = useRunPage();
const before = { step: null, reward: null, phase: null, endedAt: null };
const failed: Partial<RunRecord> = {
  state: 'failed',
  reason: 'Trainer failed: CUDA out of memory.',
  exitCode: 1,
  step: 60,
  endedAt: startedAt + 7_000_000,
};

interface Shown {
  /** Of a run with this id. */
  readonly messages: (id: string) => readonly RunPageMessage[];
  /** What it says. */
  readonly says: readonly string[];
}

function runIs(record: Partial<RunRecord>, ahead: number | null = null): RunPageMessage {
  return { type: 'runs', runs: [shownRun(record, { ahead })] };
}

function alarmsOf(run: string): RunPageMessage {
  const text = 'Memory ran out: CUDA out of memory.';
  return {
    type: 'events',
    run,
    events: [
      ...eventsOf(60),
      { seq: 900, at: startedAt, type: 'alarm', alarm: 'out-of-memory', text },
      { seq: 901, at: startedAt + 1, type: 'alarm', alarm: 'of a newer host', text: 'Something else.' },
    ],
  };
}

const states: Readonly<Record<string, Shown>> = {
  queued: {
    messages: (id) => {
      const reason = 'Both GPUs are taken by “new_project”.';
      return [runIs({ ...before, id, state: 'queued', startedAt: null, reason }, 2)];
    },
    says: ['The run is number 3 in the queue and waits for 2 GPUs.', 'Both GPUs are taken by “new_project”.'],
  },
  preparing: {
    messages: (id) => [runIs({ ...before, id, state: 'preparing' })],
    says: ['The code of the run is being written.'],
  },
  loading: {
    messages: (id) => [
      runIs({ ...before, id, phase: 'loading models' }),
      { type: 'events', run: id, events: eventsOf(0) },
      ...gpuMessages(id, 4),
    ],
    says: [
      'No metrics yet: loading models.',
      'The host took the run over again.',
      'Phase loading models for 1 min 2',
    ],
  },
  failed: {
    messages: (id) => [
      runIs({ ...failed, id }),
      alarmsOf(id),
      { type: 'checkpoints', run: id, checkpoints: checkpointsOf(50) },
    ],
    says: [
      'Trainer failed: CUDA out of memory.',
      'Exit code: 1',
      'Reduce the micro-batch size, the response length',
      'It can be resumed from the checkpoint of step 50.',
      'Alarms of a newer host Step 60', // not that of the reason
    ],
  },
  lost: {
    messages: (id) => [
      runIs({ ...before, id, state: 'lost', reason: 'Its process is gone.', endedAt: startedAt + 60_000 }),
    ],
    says: ['Its process is gone.', 'because memory ran out', 'The run ended before its first step.'],
  },
  unheard: {
    messages: (id) => [
      runIs({ id }),
      { type: 'events', run: id, events: eventsOf(12) },
      { type: 'unheard', run: id, problem: 'Events of the run are missing.' },
    ],
    says: ['Its charts are paused.', 'Events of the run are missing.', 'Until then, see the log of the run.'],
  },
  disconnected: {
    messages: (id) => [
      runIs({ id }),
      { type: 'events', run: id, events: eventsOf(12) },
      {
        type: 'connection',
        host: 'gpu-box',
        state: { kind: 'waiting', reason: 'It did not answer for 30 s.', retryAt: Date.now() + 3_600_000 },
      },
    ],
    says: [
      'The connection to gpu-box is lost. Its runs continue.',
      'It did not answer for 30 s.',
      'Reconnecting in',
    ],
  },
};

async function textOf(page: Page): Promise<string> {
  return (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
}

test('each state of a run is told, with why and what to do', async () => {
  const { page, tell } = await open();
  await page.getByText('Loading the run').waitFor();
  for (const [index, [name, { messages, says }]] of Object.entries(states).entries()) {
    await tell(...messages(idOf(index)));
    for (const text of says) await expect.poll(() => textOf(page)).toContain(text);
    await picture(page, `training-run-${name}`);
    expect(await violations(page)).toEqual([]);
  }
  await tell({ type: 'connection', host: 'gpu-box', state: { kind: 'connecting', attempt: 3 } });
  await page.getByText('Connecting to gpu-box').waitFor();
  await tell({ type: 'connection', host: 'gpu-box', state: { kind: 'connected' } });
  await expect.poll(() => page.locator('.notice').count()).toBe(0);
  await tell({
    type: 'connection',
    host: 'gpu-box',
    state: { kind: 'ended', reason: 'The token is wrong.' },
  });
  await page.getByRole('alert').getByText('The token is wrong.').waitFor();
});

test('what cannot be loaded is not waited for', async () => {
  const ended = await open([
    { type: 'connection', host: 'gpu-box', state: { kind: 'ended', reason: 'The token is wrong.' } },
  ]);
  await ended.page.getByRole('alert').getByText('The token is wrong.').waitFor();
  expect(await textOf(ended.page)).not.toContain('Loading');
  const { page } = await open([{ type: 'gone', host: 'gpu-box', run: idOf(1) }]);
  await page.getByText('gpu-box no longer has this run.').waitFor();
  expect(await textOf(page)).not.toContain('Loading');
  await picture(page, 'training-run-gone');
  expect(await violations(page)).toEqual([]);
});

test('a run that is removed while its page is open is told of, and nothing more is asked for', async () => {
  const second = shownRun({ id: idOf(2), name: 'lr 5e-6', state: 'finished', step: 80 });
  const { page, tell } = await open([
    { type: 'connection', host: 'gpu-box', state: { kind: 'connected' } },
    { type: 'runs', runs: [shownRun({ state: 'finished', endedAt: startedAt + 8_000_000 }), second] },
    { type: 'events', run: idOf(1), events: eventsOf(120) },
    { type: 'checkpoints', run: idOf(1), checkpoints: checkpointsOf(50, 100) },
  ]);
  await page.getByRole('button', { name: 'Resume from step 100' }).waitFor();
  await tell({ type: 'gone', host: 'gpu-box', run: idOf(1) });
  await page.getByRole('alert').getByText('gpu-box no longer has this run.').waitFor();
  await page.getByRole('slider', { name: 'Mean reward' }).waitFor();
  const asking = /Resume|Fork|Fetch|Compare|Remove lr|Open rollouts|Show log|Copy command/;
  expect(await page.getByRole('button', { name: asking }).count()).toBe(0);
  await picture(page, 'training-run-gone-open');
  expect(await violations(page)).toEqual([]);
});

type Media = Parameters<Page['emulateMedia']>[0];
const looks: Readonly<Record<string, Media>> = {
  dark: { colorScheme: 'dark' },
  'contrast-light': { colorScheme: 'light', contrast: 'more' },
  'contrast-dark': { colorScheme: 'dark', contrast: 'more' },
  'forced-colors': { colorScheme: 'dark', contrast: 'more', forcedColors: 'active' },
};

test('every theme has its colours, as soon as it is chosen', async () => {
  const second = shownRun({ id: idOf(2), name: 'lr 5e-6', state: 'finished', step: 80 });
  const { page } = await open(
    [
      { type: 'runs', runs: [shownRun(failed), second] },
      alarmsOf(idOf(1)),
      { type: 'events', run: idOf(2), events: eventsOf(80, 'other') },
      { type: 'checkpoints', run: idOf(1), checkpoints: checkpointsOf(50) },
      ...gpuMessages(idOf(1), 40),
    ],
    { viewport: { width: 1280, height: 1400 } },
  );
  await page.getByRole('slider', { name: 'Entropy' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => page.locator('.pointed-at').innerText()).toBe('Step 79');
  const line = page.locator('.run-list .swatch path').nth(1);
  const seen = new Set([await line.getAttribute('stroke')]);
  for (const [look, media] of Object.entries(looks)) {
    await page.emulateMedia(media);
    await expect.poll(async () => seen.has(await line.getAttribute('stroke'))).toBe(false);
    seen.add(await line.getAttribute('stroke'));
    const dashes = (await line.getAttribute('stroke-dasharray')) ?? '';
    expect(dashes !== '').toBe(look !== 'dark');
    await picture(page, `training-run-${look}`);
    expect(await violations(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 420, height: 900 });
  await expect.poll(() => isTooWide(page)).toBe(false);
  await expect.poll(() => overlaps(page)).toEqual([]);
  await picture(page, 'training-run-narrow');
});

test('in Chinese the page says nothing in English', async () => {
  const { page, tell } = await open([], { locale: 'zh-CN' });
  for (const [index, [name, { messages }]] of Object.entries(states).entries()) {
    const told = messages(idOf(index));
    await tell(...told);
    const heading = `run ${index}`;
    await tell(...told.filter(({ type }) => type === 'runs').map((message) => named(message, heading)));
    await page.getByRole('heading', { name: heading }).waitFor();
    const ofRun = new Set(
      [heading, ...stringsIn(told)].flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}_]+/u)]),
    );
    for (const word of ['GPU', 'GB', 'Ray', 'KL', 'AgentJet', 'Trinity', 'RFT']) ofRun.add(word);
    expect(englishOf(await readablesOf(page), ofRun)).toEqual([]);
    for (const width of [1280, 420]) {
      await page.setViewportSize({ width, height: 1000 });
      await expect.poll(() => isTooWide(page)).toBe(false);
      await expect.poll(() => overlaps(page)).toEqual([]);
      await picture(page, `training-run-chinese-${name}-${width}`);
    }
  }
});

/** The same run by another name, by which it is known to be shown. */
function named(message: RunPageMessage, name: string): RunPageMessage {
  if (message.type !== 'runs') return message;
  return { type: 'runs', runs: message.runs.map((one) => ({ ...one, record: { ...one.record, name } })) };
}
