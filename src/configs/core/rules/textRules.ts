import type { RuleEntry } from './ruleEntry.ts';

/** Rules on single keys and values, and on what a config names. */
export const textRules = {
  'yaml-syntax': {
    title: 'YAML that cannot be read',
    severity: 'error',
    explanation:
      'The text is not YAML at this place, so nothing can load the file. What stands behind the break is checked as far as it can still be read; keys that seem to be missing are not reported until the file is whole again. Tabs in the indentation are the usual reason; a fix replaces them by spaces.',
  },
  'yaml-tag': {
    title: 'A tag that is not understood',
    severity: 'error',
    explanation:
      'Configs use plain YAML values. The loaders know `!!str`, `!!int`, `!!float`, `!!bool` and `!!null` only, and refuse a value that is not what its tag says. Remove the tag, or correct the value.',
  },
  alias: {
    title: 'An alias that leads nowhere',
    severity: 'error',
    explanation:
      '`*name` repeats what `&name` marked earlier in the same file, and `<<` takes a mapping or a list of mappings. An alias without its anchor cannot be loaded. Aliases that bring in an enormous number of values are cut off.',
  },
  'duplicate-key': {
    title: 'A key that stands twice',
    severity: 'warning',
    explanation:
      "A mapping has the same key twice. AgentJet's launcher reads the experiment with a loader that keeps the last one and says nothing, so the other value is lost: a warning. Files that Hydra or Trinity-RFT load themselves are refused for it: an error. Remove one of the two.",
  },
  'unknown-key': {
    title: 'A key that nothing reads',
    severity: 'warning',
    explanation:
      "The section has no such key. Under `ajet` the run starts all the same and uses the default of the key that was meant, which is how a slip of the pen costs hours: a warning. Trinity-RFT refuses to start: an error. verl's sections that become data classes fail in the worker: a warning. Where a section goes to a library as a whole, only what looks like a slip is told, as information. The first fix renames the key to the nearest one; a key that belongs to another section can be moved there.",
  },
  'wrong-type': {
    title: 'A value of another type',
    severity: 'error',
    explanation:
      'The key takes another type of value: `"4"` is a text and no integer, `[]` is a list and no section. A section that is left empty is `null`, which takes the place of all its defaults. Where a number stands for a text, Python usually gets by: a warning. Fixes convert the value where its meaning is plain.',
  },
  'unknown-value': {
    title: 'A value that is not one of those allowed',
    severity: 'error',
    explanation:
      'The key takes one of a closed list of values, and training stops at any other. Keys whose values are names in a registry that a project may add to are never reported. Fixes offer the nearest allowed values.',
  },
  'out-of-range': {
    title: 'A number out of range',
    severity: 'error',
    explanation:
      'The number is too small or too large for this key: it is asserted at start or makes no sense, such as an episode that is repeated no times. The fix takes the nearest number in range, where there is one.',
  },
  'missing-key': {
    title: 'A key that has to be set',
    severity: 'warning',
    explanation:
      'The experiment cannot run without this key: its default, if there is one, is a placeholder. Asked for are only keys that apply to what is chosen (such as those of the chosen task reader), and only in files that are whole experiments: a file that others are based on need not be complete. Fixes add the key, or all that the section lacks.',
  },
  'deprecated-key': {
    title: 'A key that is going away',
    severity: 'information',
    explanation:
      'The key still works in the releases that know it, but has been given up for another one. The message names what to use instead.',
  },
  'renamed-key': {
    title: 'A key with a new name',
    severity: 'warning',
    explanation:
      'The key has another name or place now. Releases that do not know the old name run with the default instead. The fix moves the value, with its comment, to where it is read.',
  },
  'removed-key': {
    title: 'A key that is gone',
    severity: 'warning',
    explanation:
      'Newer releases no longer have this key: there it is ignored, or refused where unknown keys are. Remove it, unless the host runs an older release.',
  },
  'computed-key': {
    title: 'A key that must not be set',
    severity: 'warning',
    explanation:
      'The program fills this key by itself, from other keys or for its own use, and overwrites whatever is written here. Set the key that the message names instead, and remove this one.',
  },
  'ignored-key': {
    title: 'A value that is not used as it stands',
    severity: 'information',
    explanation:
      'The value is read in some releases or circumstances only; the message says which. Elsewhere it is ignored with a line in the log at most.',
  },
  'unused-key': {
    title: 'A key without effect',
    severity: 'hint',
    explanation:
      'The key is in the documented defaults, but nothing reads it, so its value makes no difference. It may be removed.',
  },
  overwritten: {
    title: 'A value that conversion overwrites',
    severity: 'warning',
    explanation:
      "On the way to a backbone the launcher writes the values of `ajet` keys over keys of Trinity's or verl's own configuration. What is typed on such a key is lost, or, in newer releases, stops the launcher when the two differ. Set the `ajet` key instead; the fix moves the value there.",
  },
  locator: {
    title: 'A locator that cannot be read',
    severity: 'error',
    explanation:
      'A workflow or judge is named as `<file or Python module>-><Name>`, with exactly one `->` and no blanks. Training stops when it loads the workflow.',
  },
  'locator-target': {
    title: 'A locator that leads nowhere',
    severity: 'error',
    explanation:
      'The file or module that the locator names is not there, or has no such class, so training stops when it loads it. Files are looked for from the folder that training is started in. Modules that are not of this workspace may be installed where training runs and are left alone. Fixes name the nearest class, or create the class as a stub.',
  },
  'locator-base': {
    title: 'A class of another kind',
    severity: 'warning',
    explanation:
      'The class exists, but does not extend what this key needs: a workflow extends `Workflow`, a judge extends `BaseJudge`. Training fails when it makes one of it.',
  },
  'locator-signature': {
    title: 'A function with other parameters',
    severity: 'warning',
    explanation:
      'A workflow or judge that is a function, as those of AgentScope’s tuner are, is given its arguments by the names of its parameters: `task` and `model` for a workflow, `task` and `response` for a judge, and if it wants `auxiliaryModels` (in Python `auxiliary_models`) and `logger`. A name that is missing, any other, and what takes the rest (`...rest`, `*args`, `**kwargs`) are refused before the run starts.',
  },
  'missing-path': {
    title: 'A path that does not exist',
    severity: 'warning',
    explanation:
      'The file or folder has to be there when training starts and is not on this machine. Relative paths are judged only in the project that they belong to. A path that exists on the GPU host alone can be silenced.',
  },
  interpolation: {
    title: 'An interpolation that does not resolve',
    severity: 'error',
    explanation:
      '`${a.b}` stands for another value of the composed config, `${oc.env:NAME}` for an environment variable. One that leads to no value, back to itself or to an unknown resolver stops the launcher. In a file that others are based on the value may come from them: a warning. A variable that is not set here may be set where training runs: information.',
  },
  defaults: {
    title: 'A `defaults` entry that does not work',
    severity: 'error',
    explanation:
      'The entry names no file of the search path, leads back to itself, or has a form that Hydra does not know. Hydra refuses to compose the config. `_self_` before the file that has all defaults lets them overwrite the config: a warning. Where a folder of the search path is not on this machine, the file may be in it: a warning, and nothing is concluded from values that it may set.',
  },
  'search-path': {
    title: 'A search path that does not work',
    severity: 'warning',
    explanation:
      '`hydra.searchpath` lists folders as `file://path/to/folder`, in which the entries of `defaults` are looked for.',
  },
  'missing-value': {
    title: 'A value that still has to be given',
    severity: 'error',
    explanation: '`???` marks a value that somebody has to fill in. Reading it stops the launcher.',
  },
  composition: {
    title: 'Files that cannot be composed',
    severity: 'warning',
    explanation:
      'A key is written in a way that the loader refuses, or a value cannot be laid over one of a file that this config is based on, as a list over a section: an error. Problems within such a file are told at `defaults`, with their place; it is checked in full when it is opened.',
  },
  'legacy-astuner-config': {
    title: "A config of AgentJet's predecessor",
    severity: 'information',
    explanation:
      'AgentJet was called ASTuner until the end of 2025, with the section `astuner` and other names for some keys. AgentJet does not read such a file. The fix rewrites the whole file and keeps comments and layout.',
  },
  'unknown-rule': {
    title: 'A comment that names no rule',
    severity: 'information',
    explanation:
      '`# agentjet-ignore rule-id` silences a rule on its line, or on the next one when it stands alone; `# agentjet-ignore-file rule-id` in the whole file. The id in this comment is none of those listed here.',
  },
  'renamed-rule': {
    title: 'A comment with the old name of a rule',
    severity: 'information',
    explanation:
      'The rule in this comment has a new id. The old id still silences the rule, but stops working in a later version. The fix replaces it.',
  },
  'unused-ignore': {
    title: 'A comment that silences nothing',
    severity: 'hint',
    explanation:
      'The comment names a rule that has no finding at this place any more. It may be removed, lest it hide a new one.',
  },
} as const satisfies Readonly<Record<string, RuleEntry>>;
