/** What the owner of an API key may allow it when creating it. */
export const OWNER_SCOPES = ["read:favorites", "read:notifications"] as const;

/** What only operators let a key do, for a time. */
export const GRANTED_SCOPES = ["write:records", "write:servers"] as const;

export type OwnerScope = (typeof OWNER_SCOPES)[number];
export type GrantedScope = (typeof GRANTED_SCOPES)[number];

/** What a key may do in addition to public reading. */
export type Scope = OwnerScope | GrantedScope;

export function isOwnerScope(word: string): word is OwnerScope {
  return (OWNER_SCOPES as readonly string[]).includes(word);
}

export function isScope(word: string): word is Scope {
  return isOwnerScope(word) || (GRANTED_SCOPES as readonly string[]).includes(word);
}
