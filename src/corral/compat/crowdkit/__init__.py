"""Crowd-Kit's aggregation of classes, as of version 1.4, with corral behind it."""
