import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Frame, Page } from 'playwright-core';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, as lines that say what and where. What is pale while other rows come for it is waited for. */
export async function violations(page: Page | Frame): Promise<string[]> {
  await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
  await page.evaluate(axeSource);
  const results = await page.evaluate(async () => {
    const axe = Reflect.get(window, 'axe') as { run: (options: RunOptions) => Promise<AxeResults> };
    return axe.run({ resultTypes: ['violations'] });
  });
  return results.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n  ${html}\n  ${failureSummary ?? ''}`),
  );
}
