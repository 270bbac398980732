-- Old lines are found by their ids. An index of this kind is read by bitmap scans only, which our sessions do without.
drop index proxy_usage_time_idx;
