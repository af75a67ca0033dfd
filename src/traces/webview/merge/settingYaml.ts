import type { MergeSetting } from '../../core/protocol/mergingRpc.ts';

/** What chooses a setting, as a config has it. */
export function settingYaml({ compareLevel, ignoreTools, fixesDrift }: MergeSetting): string {
  return `ajet:
  context_tracker:
    timeline_merging_policy:
      timeline_compare_level: ${compareLevel}
      ignore_tools: ${ignoreTools}
    fix_retokenization_drift: ${fixesDrift}
`;
}
