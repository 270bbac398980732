-- Projects that serve real customers: people are asked once more before they change something.
alter table projects add column production boolean not null default false;
