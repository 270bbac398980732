-- Who looks for failures looks for few among very many.
create index deliveries_failed on deliveries (destination_id, event_id) where state = 'failed';
