-- People who look or help, but do not change: two roles below the editor.
alter table memberships drop constraint memberships_role_check;
alter table memberships add constraint memberships_role_check check (role in ('viewer', 'support', 'editor', 'owner'));
alter table invites drop constraint invites_role_check;
alter table invites add constraint invites_role_check check (role in ('viewer', 'support', 'editor', 'owner'));
