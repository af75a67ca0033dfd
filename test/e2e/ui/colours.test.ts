/** Colours in configs, on top of the editor's own grammar for YAML; the golden is to be read line by line. */
import path from 'node:path';
import { expect, test } from 'vitest';
import { ensureVscode } from '../../tools/vscodeServer.mjs';
import { openColourer, type Colourer } from '../../unit/training/colours/colourer.ts';

const config = String.raw`ajet:
  rollout:
    user_workflow: tutorial.math_agent.workflow->MathWorkflow
    other: "./agents/../math.py->Math"  # as in math.py->Math
  list: [a/b.py->C, '§{.x}', -> D, a->b->c]
  task_reader:
    path: §{ajet.data.root}/§{oc.env:SPLIT,train}.jsonl
    deep: "§{..a.§{b}[0]} \§{no}"
    picked: §{oc.select:a.b,3}
    escaped: \§{not.this}
    not_escaped: \\§{a.b}
  conversion: (min(ajet.rollout.max_env_worker, 128) // ajet.rollout.n_vllm_engine)
  prose: (see ajet docs) and an arrow -> there
  folded: >
    model-§{name} and workflow.ts->Math
  §{key}: 1
`.replaceAll('§', '$');

const others = `services:
  image: §{REGISTRY}/app:§{TAG:-latest}
  run: §{{ github.event.inputs.name }}
  open: §{never.closed
  after: plain
`.replaceAll('§', '$');

async function yamlColourer(): Promise<Colourer> {
  const folder = path.join(await ensureVscode(), 'extensions/yaml/syntaxes');
  const versions = ['1.0', '1.1', '1.2', '1.3', 'embedded'].map((version) => [
    `source.yaml.${version}`,
    path.join(folder, `yaml-${version}.tmLanguage.json`),
  ]);
  return openColourer('source.yaml', {
    'source.yaml': path.join(folder, 'yaml.tmLanguage.json'),
    ...(Object.fromEntries(versions) as Record<string, string>),
  });
}

test('locators, interpolations and operators stand out in the strings of a config', async () => {
  const colour = await yamlColourer();
  await expect(colour(config)).toMatchFileSnapshot('goldens/config-colours.txt');
});

test("other programs' variables keep their colours", async () => {
  const colour = await yamlColourer();
  const plain = others.split('\n').map((line) => `| ${line}`.trimEnd());
  expect(colour(others)).toBe(`${plain.join('\n')}\n`);
});
