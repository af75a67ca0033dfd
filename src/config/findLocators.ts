import { isAgentJetConfig } from './isAgentJetConfig.ts';
import { parseLocator, type LocatorResult } from './locator.ts';
import { hasInterpolation, nodeAt } from './node.ts';
import { parseConfig, type ConfigDocument } from './parse.ts';
import type { TextRange } from './text.ts';

/** Keys whose values are locators. */
export const locatorKeys = {
  userWorkflow: 'ajet.rollout.user_workflow',
  judgeProtocol: 'ajet.task_judge.judge_protocol',
} as const;

export interface WrittenLocator {
  readonly text: string;
  /** Of the value, quotes included. */
  readonly range: TextRange;
  readonly result: LocatorResult;
}

export interface ConfigLocators {
  readonly userWorkflow: WrittenLocator | undefined;
  readonly judgeProtocol: WrittenLocator | undefined;
}

/** The workflow and the judge that a text itself names; undefined where it names none, or is no AgentJet config. */
export function findLocators(text: string): ConfigLocators {
  const document = isAgentJetConfig(text) ? parseConfig(text) : undefined;
  return {
    userWorkflow: document && locatorAt(document, locatorKeys.userWorkflow),
    judgeProtocol: document && locatorAt(document, locatorKeys.judgeProtocol),
  };
}

function locatorAt(document: ConfigDocument, path: string): WrittenLocator | undefined {
  const node = nodeAt(document.root, path.split('.'));
  if (node?.kind !== 'scalar' || typeof node.value !== 'string' || hasInterpolation(node)) return undefined;
  return { text: node.value, range: document.lines.range(node.span), result: parseLocator(node.value) };
}
