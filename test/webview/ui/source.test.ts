/** From the viewer to the user's code, in a browser: there it says where that is. */
import { expect, test } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { smallRun } from '../harness/samples.ts';
import { useViewer } from '../harness/viewer.ts';

const open = useViewer();
const source = {
  file: '/home/ada/math/workflow.ts',
  line: 12,
  column: 27,
  function: 'Math.execute',
  state: 'changed',
  found: 'recorded',
} as const;

test('a call goes to its line by a button and a key', async () => {
  const { page, trace } = await open({ ...smallRun(), source }, { place: 'episode=1&call=0' });
  const detail = page.getByRole('region', { name: 'Call 0' });
  const button = detail.getByRole('button', { name: 'workflow.ts:12, the source of call 0' });
  expect(await button.textContent()).toContain('workflow.ts:12');
  await page.keyboard.press('s');
  await detail.getByText('/home/ada/math/workflow.ts:12').waitFor();
  await detail.getByText('The file has changed since the run').waitFor();
  expect(trace.requests.find(({ method }) => method === 'show')).toMatchObject({
    episode: 1,
    of: { kind: 'call', call: 0 },
  });
  expect(await violations(page)).toEqual([]);
  if (process.env['SHOT'] !== undefined) await page.screenshot({ path: process.env['SHOT'] });
});

test('a tool call and a reward have theirs, and say so where they have none', async () => {
  const { page, trace } = await open(smallRun(), { place: 'episode=1&call=0' });
  await page.getByRole('button', { name: 'Source of the tool calculate' }).first().click();
  await page.getByText('The run has no source.').waitFor();
  await page.getByRole('button', { name: 'One level up' }).click();
  await page.getByRole('button', { name: 'Reward’s source' }).click();
  await page.getByText('The run has no source.').waitFor();
  const asked = trace.requests.flatMap((request) => (request.method === 'show' ? [request.of] : []));
  expect(asked).toEqual([{ kind: 'tool', tool: 'calculate' }, { kind: 'reward' }]);
});
