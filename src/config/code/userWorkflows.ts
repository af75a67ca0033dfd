import { faultOf, functionForms } from './functionForm.ts';
import { scanTypeScript } from './scanTypeScript.ts';
import { lineOf, scanWorkflows, type FoundWorkflow } from './workflowScan.ts';

/**
 * What of a JavaScript or TypeScript text a config can name as its workflow: the classes that {@link scanWorkflows}
 * finds, then the exported functions that have the parameters of one, where the text imports anything of the SDK.
 */
export function scanUserWorkflows(text: string): FoundWorkflow[] {
  return [...scanWorkflows(text), ...workflowFunctions(text)];
}

function workflowFunctions(text: string): FoundWorkflow[] {
  if (!/(["'])agentjet\1/.test(text) || !text.includes('task') || !text.includes('model')) return [];
  const found = [...scanTypeScript(text).names.values()].flatMap((binding) => {
    if (binding.kind !== 'declared' || binding.declaration.kind !== 'function') return [];
    const { name, offset, parameters } = binding.declaration;
    return faultOf(parameters, functionForms.workflow) === undefined ? [{ name, offset }] : [];
  });
  return found.map(({ name, offset }) => ({ name, offset, line: lineOf(text, offset) }));
}
