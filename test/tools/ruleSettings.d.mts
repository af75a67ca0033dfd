/** The schema of the value of `agentjet.check.rules`, as package.json has it. */
export function ruleProperties(): Record<string, unknown>;
