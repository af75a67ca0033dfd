export function launchDocs(): string;
export function settingDocs(): string;
export function commandDocs(): string;
