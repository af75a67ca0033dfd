/** Where the lines of a run's log come from. */

const service = 'service/';

/** The source of what runs beside training, by the tag that AgentJet's launcher gives it: `ray`, `service/appworld`. */
export function companionSource(tag: string): string {
  const name = tag.replace(/_service(?=_|$)/, '');
  return /^ray(?:_|$)/.test(name) ? name : service + name;
}

/** Whether what a source tells is not about the training itself. */
export function isServiceSource(source: string): boolean {
  return source.startsWith(service);
}
