import { dottedPath, lineOf, nodeAfter, nodesNamed, parseScript, type CodeLine } from './syntaxTree.ts';

/** Finds the jobs that a JavaScript or TypeScript text makes of the SDK's class, by the name of the class. */
export function scanJobs(text: string): CodeLine[] {
  if (!/(["'])agentjet\1/.test(text) || !/A(?:gentJet|stuner)Job/.test(text)) return [];
  return nodesNamed(parseScript(text), 'NewExpression').flatMap((node) => {
    const made = nodeAfter(node.getChild('new'));
    const path = made === undefined ? undefined : dottedPath(made, text);
    return /^(?:[^.]+\.)?(?:AgentJetJob|AstunerJob)$/.test(path ?? '')
      ? [{ line: lineOf(text, node.from) }]
      : [];
  });
}
