import type { RuleEntry } from './ruleEntry.ts';

/** Rules on single keys and values, and on what a config names. */
export const textRules = {
  'yaml-syntax': {
    title: 'Invalid YAML',
    severity: 'error',
    explanation:
      'The text is not valid YAML at this position, so no program can load the file. The check continues after the error as far as possible. Missing keys are not reported until the error is fixed. The usual cause is a tab in the indentation. A fix replaces tabs with spaces.',
  },
  'yaml-tag': {
    title: 'Unknown YAML tag',
    severity: 'error',
    explanation:
      'Configs use plain YAML values. The loaders know only `!!str`, `!!int`, `!!float`, `!!bool` and `!!null`. They reject a value that does not match its tag. Remove the tag, or correct the value.',
  },
  alias: {
    title: 'Unresolved alias',
    severity: 'error',
    explanation:
      '`*name` repeats the value that `&name` marked earlier in the same file. `<<` takes a mapping or a list of mappings. An alias without its anchor cannot be loaded. Aliases that expand to a very large number of values are cut off.',
  },
  'duplicate-key': {
    title: 'Duplicate key',
    severity: 'warning',
    explanation:
      "A mapping has the same key twice. AgentJet's launcher keeps the last value and ignores the other without a message: a warning. Files that Hydra or Trinity-RFT load are rejected: an error. Remove one of the two keys.",
  },
  'unknown-key': {
    title: 'Unknown key',
    severity: 'warning',
    explanation:
      "The section does not have this key. Under `ajet` the run starts and uses the default of the key that you meant: a warning. Trinity-RFT does not start: an error. verl's data classes fail in the worker: a warning. If a whole section is passed to a library, only likely typing errors are reported, as information. The first fix renames the key to the most similar one. Another fix moves a key to the section that has it.",
  },
  'wrong-type': {
    title: 'Wrong type',
    severity: 'error',
    explanation:
      'The key takes another type of value. For example, `"4"` is a string, not an integer, and `[]` is a list, not a section. An empty section is `null`, which replaces all of its defaults. A number in place of a string usually works in Python: a warning. Fixes convert the value if its meaning is clear.',
  },
  'unknown-value': {
    title: 'Unknown value',
    severity: 'error',
    explanation:
      'The key takes one of a fixed list of values. Training stops at any other value. Keys whose values come from a registry that a project can extend are never reported. Fixes offer the most similar values.',
  },
  'out-of-range': {
    title: 'Number out of range',
    severity: 'error',
    explanation:
      'The number is too small or too large for this key. Training checks it at the start, or the value makes no sense, such as 0 repeats of an episode. The fix uses the nearest number in the range.',
  },
  'missing-key': {
    title: 'Missing key',
    severity: 'warning',
    explanation:
      'The experiment cannot run without this key. Its default, if there is one, is a placeholder. Only keys that apply to the current choices are required, such as those of the selected task reader. Only whole experiments are checked, not files that other configs include. Fixes add the key, or all missing keys of the section.',
  },
  'deprecated-key': {
    title: 'Deprecated key',
    severity: 'information',
    explanation:
      'The key still works in the releases that know it, but another key replaces it. The message names the replacement.',
  },
  'renamed-key': {
    title: 'Renamed key',
    severity: 'warning',
    explanation:
      'The key has a new name or a new place. Releases that do not know the old name use the default instead. The fix moves the value and its comment to the new key.',
  },
  'removed-key': {
    title: 'Removed key',
    severity: 'warning',
    explanation:
      'Newer releases do not have this key. They ignore it, or reject it if they reject unknown keys. Remove it, unless the GPU host runs an older release.',
  },
  'computed-key': {
    title: 'Key that must not be set',
    severity: 'warning',
    explanation:
      'The program computes this key from other keys or for internal use, and overwrites the value in the config. Set the key that the message names instead, and remove this one.',
  },
  'ignored-key': {
    title: 'Value that is not always used',
    severity: 'information',
    explanation:
      'Only some releases or conditions use this value. The message names them. Otherwise the value is ignored, with at most one line in the log.',
  },
  'unused-key': {
    title: 'Key without effect',
    severity: 'hint',
    explanation: 'The key is in the documented defaults, but no code reads it. You can remove it.',
  },
  overwritten: {
    title: 'Value that the conversion overwrites',
    severity: 'warning',
    explanation:
      'When the launcher converts the config for a backbone, it writes the values of `ajet` keys over keys of Trinity or verl. Older releases ignore your value for such a key. Newer releases stop if the two values differ. Set the `ajet` key instead. The fix moves the value there.',
  },
  locator: {
    title: 'Invalid locator',
    severity: 'error',
    explanation:
      'A locator of a workflow or judge has the form `<file or Python module>-><Name>`. It has exactly one `->` and no spaces. Training stops when it loads the workflow.',
  },
  'locator-target': {
    title: 'Locator without a target',
    severity: 'error',
    explanation:
      'The file or module of the locator does not exist, or does not have this class. Training stops when it loads the class. Files are relative to the folder in which training starts. Modules outside this workspace are not reported, because they may be installed where training runs. Fixes use the most similar class, or create the class as a stub.',
  },
  'locator-base': {
    title: 'Class with the wrong base class',
    severity: 'warning',
    explanation:
      'The class exists, but does not extend the class that this key needs. A workflow extends `Workflow`. A judge extends `BaseJudge`. Training fails when it creates an instance.',
  },
  'locator-signature': {
    title: 'Function with unexpected parameters',
    severity: 'warning',
    explanation:
      'A workflow or judge that is a function, as in AgentScope’s tuner, receives its arguments by parameter name. A workflow has `task` and `model`. A judge has `task` and `response`. Both can also have `auxiliaryModels` (in Python `auxiliary_models`) and `logger`. A missing parameter, any other parameter, and rest parameters (`...rest`, `*args`, `**kwargs`) are rejected before the run starts.',
  },
  'missing-path': {
    title: 'Missing file or folder',
    severity: 'warning',
    explanation:
      'The file or folder must exist when training starts, but does not exist on this machine. Relative paths are checked only in the project that they belong to. If the path exists only on the GPU host, silence the finding.',
  },
  interpolation: {
    title: 'Unresolved interpolation',
    severity: 'error',
    explanation:
      '`${a.b}` stands for another value of the composed config. `${oc.env:NAME}` stands for an environment variable. The launcher stops if the value does not exist, if the interpolation refers to itself, or if the resolver is unknown. In a file that other configs include, they may set the value: a warning. A variable that is not set here may be set where training runs: information.',
  },
  defaults: {
    title: 'Invalid `defaults` entry',
    severity: 'error',
    explanation:
      'The entry does not name a file of the search path, includes itself, or has a form that Hydra does not know. Hydra does not compose the config. If `_self_` comes before the file with all defaults, that file overwrites the config: a warning. If a folder of the search path is not on this machine, the file may be in it: a warning. Values that such a file may set are not checked.',
  },
  'search-path': {
    title: 'Invalid search path',
    severity: 'warning',
    explanation:
      '`hydra.searchpath` lists folders in the form `file://path/to/folder`. Hydra looks for the entries of `defaults` in them.',
  },
  'missing-value': {
    title: 'Required value',
    severity: 'error',
    explanation: '`???` marks a value that you must set. The launcher stops when it reads it.',
  },
  composition: {
    title: 'Files that cannot be composed',
    severity: 'warning',
    explanation:
      'The loader rejects the form of a key: an error. Or a value cannot replace the value of an included file, such as a list in place of a section: an error. Problems in an included file are reported at `defaults`, with their location. Open that file to check it completely.',
  },
  'legacy-astuner-config': {
    title: "Config of AgentJet's predecessor",
    severity: 'information',
    explanation:
      'Until the end of 2025 AgentJet was called ASTuner. Its configs have the section `astuner`, and some keys have other names. AgentJet does not read such a file. The fix rewrites the whole file and keeps comments and layout.',
  },
  'unknown-rule': {
    title: 'Comment with an unknown rule',
    severity: 'information',
    explanation:
      '`# agentjet-ignore rule-id` silences a rule on its line, or on the next line if it is the only text on its line. `# agentjet-ignore-file rule-id` silences a rule in the whole file. This comment names an id that does not exist.',
  },
  'renamed-rule': {
    title: 'Comment with the old id of a rule',
    severity: 'information',
    explanation:
      'The rule in this comment has a new id. The old id still silences the rule, but a later version will not know it. The fix replaces the id.',
  },
  'unused-ignore': {
    title: 'Comment that silences nothing',
    severity: 'hint',
    explanation:
      'The comment names a rule that has no finding here. Remove the comment, so that it does not hide a new finding.',
  },
} as const satisfies Readonly<Record<string, RuleEntry>>;
