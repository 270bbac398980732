/** The value of `Prefer` with which Microsoft Graph tells ids that stay the same when an item moves to another folder. */
export const IMMUTABLE_IDS = 'IdType="ImmutableId"';
