import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const shared = path.resolve(import.meta.dirname, '../../../../shared/data/configs');
/** Real configs, where they have been put beside the project. */
export const realTexts = ['agentjet', 'trinity'].flatMap((name) => {
  const folder = path.join(shared, name);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.yaml')) : [];
  return files.map((file) => readFileSync(path.join(folder, file), 'utf8'));
});

/** A config that uses what YAML has to offer. */
export const wholeConfig = `# experiment
ajet:
  project_name: "fuzz"
  base: &base {temperature: 1.0, top_p: 1}
  task_reader:
    type: tracing
    feedback_tracing:
      filters:
        - type: llm_evaluate
          params:
            custom_rubrics: |
              One: two
              - three
        - <<: *base
          enabled: true
  rollout:
    <<: *base
    user_workflow: 'workflow.ts->W'
    num_repeat: \${ajet.debug.debug_max_parallel}
    compute_madness_checklist:
    - nonsense
    - "wrong_toolcall"
  debug: {debug_max_parallel: 4}
  model:
    path: \${oc.env:MODEL,\${ajet.project_name}/\${.name}}
hydra:
  searchpath:
    - file://ajet/default_config
defaults:
  - ajet_default
  - _self_
`;

/** Characters that YAML makes something of. */
export const snippets = [
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ':',
  ': ',
  '- ',
  '\t',
  '\n',
  '\r\n',
  '&a ',
  '*a',
  '*base',
  '<<: ',
  '${',
  '}}',
  '{{',
  '#',
  '|',
  '>',
  '!!int ',
  '? ',
  '%',
  '---\n',
  '\u0000',
  '\ufeff',
  '\ud800',
  '\udc00x',
  '\u2028',
  '\u0085',
  '&x [*base, *base]\n',
  '[[[[',
  'é',
  '  ',
  '__proto__: 1\n',
];
