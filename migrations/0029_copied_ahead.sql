-- Compatible: to the version before, a customer who is being copied is not being moved yet, and it is served where it was.

-- `copying`: what a customer has many of is copied, while the customer is served.
alter table shard_moves drop constraint shard_moves_state_check,
  add constraint shard_moves_state_check check (state in ('copying', 'closing', 'switched'));
