/** The run's screen: what its header and its report say, and ten thousand episodes in its table. */
import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../src/base/errors.ts';
import { largestWindow } from '../../../src/protocol/traceRpc.ts';
import { runView } from '../harness/records.ts';
import { longRun, smallRun } from '../harness/samples.ts';
import { nodesOf, useViewer } from '../harness/viewer.ts';

const open = useViewer();

describe('the header', () => {
  test('names the run, its totals and the tokenizer that stood in', async () => {
    const { page } = await open(smallRun());
    const header = page.locator('.run-header');
    await header.getByRole('heading', { name: 'math_agent' }).waitFor();
    const text = await header.innerText();
    for (const part of [
      'completed',
      'math_agent.yaml',
      'MathWorkflow',
      'embedded (seed 12345)',
      'tokenizer: embedded, approximate',
      '16 of 16',
      '10,240',
      '2,084 20 %',
    ]) {
      expect(text).toContain(part);
    }
    expect(await page.title()).toBe('math_agent · AgentJet trace');
  });

  test('does not call a tokenizer approximate that is the model’s own', async () => {
    const tokenizer = { name: 'Qwen/Qwen2.5-7B', exact: true, file: '/models/qwen/tokenizer.json' };
    const { page } = await open({ ...smallRun(), run: runView({ tokenizer }) });
    expect(await page.locator('.tokenizer').innerText()).toBe('tokenizer: Qwen/Qwen2.5-7B');
  });

  test.each([
    ['running', { end: null, live: true }],
    ['killed', { end: null, live: false }],
    ['cancelled', { end: { status: 'cancelled', error: null, endedAt: 1 } }],
    ['failed', { end: { status: 'failed', error: null, endedAt: 1 } }],
  ] as const)('says that a run is %s', async (status, view) => {
    const { page } = await open({ ...smallRun(), run: runView(view) });
    expect(await page.locator('.run-header .status').innerText()).toBe(status);
  });

  test('says why a run failed and what to do', async () => {
    const error = { code: 'config/broken', message: 'The config has no `ajet`.', hint: 'Add it.' };
    const end = { status: 'failed', error, endedAt: 1 } as const;
    const { page } = await open({ ...smallRun(), run: runView({ end }) });
    const alert = await page.getByRole('alert').innerText();
    for (const part of [error.message, error.hint, error.code]) expect(alert).toContain(part);
  });

  test('says that a newer format is not shown whole', async () => {
    const { page } = await open({ ...smallRun(), run: runView({ newerFormat: 7 }) });
    await page.getByText('This trace has format 7').waitFor();
  });
});

describe('the training report', () => {
  test('counts, and selects the episodes of a finding', async () => {
    const { page } = await open(smallRun());
    await page.getByText('13 of 16 episodes would train.').waitFor();
    const finding = page.getByRole('button', { name: /longer than/ });
    await finding.click();
    expect(await finding.getAttribute('aria-pressed')).toBe('true');
    const selected = page.locator('[role=row][aria-selected=true]');
    expect(await selected.count()).toBe(2);
    expect(await selected.first().innerText()).toContain('gsm8k-1');
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await selected.count()).toBe(0);
  });

  test('says of each finding what it concerns, by which id it is known, and what to do', async () => {
    const { page } = await open(smallRun());
    const groups = page.getByRole('button', { name: /same reward/ });
    expect(await groups.innerText()).toMatch(
      /equal-rewards\s+Make the reward finer\.\s+2 groups, 4 episodes$/,
    );
    await groups.click();
    await page.getByText('4 selected').waitFor();
    const run = page.locator('.finding', { hasText: 'approximate-tokenizer' });
    expect(await run.innerText()).toMatch(/the run$/);
    expect(await run.getByRole('button').count()).toBe(0);
  });

  test('leads to episodes that are far down the table', async () => {
    const { page } = await open(longRun(10_000));
    await page.getByRole('button', { name: /Too long/ }).click();
    await page.locator('#episode-row-4321.marked').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('#episode-row-9000.marked').waitFor();
    await page.getByText('2 of 2 selected').waitFor();
  });
});

describe('ten thousand episodes', () => {
  test('are drawn and asked for in part', async () => {
    const { page, trace } = await open(longRun(10_000));
    const grid = page.getByRole('grid');
    await grid.focus();
    expect(await grid.getAttribute('aria-rowcount')).toBe('10001');
    await page.keyboard.press('End');
    await page.locator('#episode-row-9999').getByText('task-2499').waitFor();
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await page.getByText('task-1250').first().waitFor();
    expect(await nodesOf(page)).toBeLessThan(1_500);
    for (const request of trace.requests) {
      if (request.method === 'episodes') expect(request.limit).toBeLessThanOrEqual(largestWindow.episodes);
    }
  });

  test('are reached with the keyboard, and left where one was', async () => {
    const { page } = await open(longRun(10_000));
    const grid = page.getByRole('grid');
    await grid.focus();
    for (const key of ['End', 'PageUp', 'ArrowUp', 'ArrowDown', 'ArrowUp']) await page.keyboard.press(key);
    expect(await grid.getAttribute('aria-activedescendant')).toBe('episode-row-9978');
    await page.locator('#episode-row-9978').getByText('task-2494').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByText('Episode 9978').waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.locator('#episode-row-9978.current').waitFor();
    expect(await page.locator('#episode-row-9978').isVisible()).toBe(true);
  });
});

describe('without an answer', () => {
  test('an empty run says so', async () => {
    const totals = { ...runView().totals, started: 0, ended: 0 };
    const report = { trains: 0, doesNotTrain: 0, findings: [] };
    const { page } = await open({ ...smallRun(), episodes: 0, run: runView({ totals, report }) });
    await page.getByText('No episode has started yet.').waitFor();
    await page.getByText('No episode has ended yet.').waitFor();
  });

  test('it says what it waits for', async () => {
    let release: () => void = () => undefined;
    const { page } = await open(smallRun(), { prepare: (trace) => (release = trace.hold('run')) });
    await page.getByText('Loading the trace').waitFor();
    release();
    await page.locator('.body-row').first().waitFor();
  });

  test('an error is told with what to do, and can be tried again', async () => {
    const error = new CodedError({
      code: 'trace/unreadable',
      message: 'The file is no trace.',
      hint: 'Choose a file that ends in .ajtrace.',
    });
    const { page, trace } = await open(smallRun(), { prepare: (script) => script.fail('run', error) });
    const alert = page.getByRole('alert');
    for (const part of [error.message, error.hint ?? '', error.code]) await alert.getByText(part).waitFor();
    trace.mend('run');
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.locator('.body-row').first().waitFor();
  });
});
