import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundledDefault } from '../../../src/config/bundledDefaults.ts';
import { diagnose } from '../../../src/config/diagnose.ts';
import { isAgentJetConfig } from '../../../src/config/isAgentJetConfig.ts';
import { ajetKeys } from '../../../src/config/keyTable.ts';
import { parseConfig } from '../../../src/config/parse.ts';
import { toPlain, type Plain } from '../../../src/config/value.ts';
import { composeText } from './memoryFiles.ts';

/** Configs of AgentJet itself, where they have been put beside the project. */
const folder = path.resolve(import.meta.dirname, '../../../../shared/data/configs/agentjet');
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.yaml')) : [];
const read = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

/** What those files do get wrong: keys that nothing reads, and values that are refused. */
const realMistakes = new Set([
  'unknown-key mode',
  'unknown-key total_training_steps',
  'unknown-key max_thread',
  'unknown-key dataset_file',
  'unknown-key success_threshold',
  'unknown-key sampling_mode',
  'unknown-key generate_number',
  'unknown-key aggregation_mode',
  'unknown-key num_reference_samples',
  'unknown-value dataset_file',
  'wrong-type None',
  'deprecated-key alien_llm_model',
  'deprecated-key alien_llm_response_length',
  'unused-key max_num_seqs',
  'unused-key env_action_preference',
  'unused-key reference_field',
  'unused-key temperature',
  'unused-key step_skip_action',
]);

describe('configs of AgentJet itself', () => {
  it('get no false finding', () => {
    const found = names.flatMap((name) => {
      const text = read(name);
      return diagnose(parseConfig(text)).map(({ rule, range }) => {
        return `${rule} ${text.slice(range.start.offset, range.end.offset)}`;
      });
    });
    expect(found.filter((one) => !realMistakes.has(one))).toEqual([]);
  });

  it('compose without an error when they are experiments', async () => {
    const experiments = names.map(read).filter((text) => isAgentJetConfig(text) && !text.includes('{{'));
    for (const text of experiments) {
      const { problems } = await composeText(text);
      expect(problems.filter((problem) => problem.severity === 'error')).toEqual([]);
    }
  });

  it('have the defaults that stand in for them', () => {
    for (const name of names.filter((one) => one.endsWith('ajet_default.yaml'))) {
      const upstream = parseConfig(read(name)).root;
      const ours = toPlain(bundledDefault('ajet_default', ajetKeys()));
      expect(ours).toMatchObject(plainOf(upstream) as Record<string, Plain>);
    }
  });
});

function plainOf(node: ReturnType<typeof parseConfig>['root']): unknown {
  if (node?.kind === 'mapping')
    return Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]));
  if (node?.kind === 'sequence') return node.items.map(plainOf);
  return node?.kind === 'scalar' ? node.value : undefined;
}
