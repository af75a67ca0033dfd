import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import { acrossRules } from '../../../../src/configs/core/rules/across/catalog.ts';
import { acrossFindings, shownIn } from './acrossConfigs.ts';
import { ajetCases } from './ajetCases.ts';
import { cluster, explorer, rest } from './trinityClusterCases.ts';
import { algorithm, general, model } from './trinityModelCases.ts';

describe('the catalog of rules across keys', () => {
  it('has a heading and an explanation for each', () => {
    for (const [id, { title, explanation }] of Object.entries(acrossRules)) {
      expect(title, id).toMatch(/^[A-Z].*[^.]$/);
      expect(explanation, id).toMatch(/\.$/);
    }
  });

  it('has no rule that no test trips', () => {
    const cases = [ajetCases, general, algorithm, model, cluster, explorer, rest].flat();
    // Reported in the tests of stages and of scripts that call `tune`.
    const tripped = new Set([...cases.map(({ rule }) => rule), 'agentscope-tuner', 'trinity-stage-section']);
    expect([...tripped].sort()).toEqual(Object.keys(acrossRules).sort());
  });
});

/** Configs of AgentJet and Trinity themselves, where they have been put beside the project. */
const folder = path.resolve(import.meta.dirname, '../../../../../shared/data/configs');
const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];

describe("rules across keys on upstream's own configs", () => {
  const texts = files
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => ({ name, text: readFileSync(path.join(folder, name), 'utf8') }))
    .filter(({ text }) => dialectOf(text) !== undefined);

  it('find no error', async () => {
    for (const { name, text } of texts) {
      const errors = (await acrossFindings(text)).filter(({ severity }) => severity === 'error');
      expect(
        errors.map((error) => shownIn(text, error)),
        name,
      ).toEqual([]);
    }
  });
});
