export function encodeRanks(): Buffer;
