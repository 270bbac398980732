-- Names that say what is stored: `send_options` (batch, allOrNone, headers …), `may_have_been_sent` (a create whose outcome
-- nobody knows if its worker dies now), and `token_refreshes`, since "refresh" is the word everywhere else.
alter table writes rename column terms to send_options;
alter table writes rename column called to may_have_been_sent;
alter table token_renewals rename to token_refreshes;
