-- PostgreSQL's own compression takes as long as everything else that it does with a message. LZ4 is quick, where the
-- server has it; otherwise messages are stored as they are.
do $$
begin
  alter table events alter column data set compression lz4;
exception when feature_not_supported then
  alter table events alter column data set storage external;
end
$$;
