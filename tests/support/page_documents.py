"""Documents of the admin API for tests of the page: larger or rarer than what a small application makes."""

LARGE_MEMBERS, LARGE_TASKS = 1_000, 2_000
PARTITIONS = 100  # of each subtopology: 20 of them
THREADS = 4
NONE = {"active": {}, "standby": {}, "warmup": {}}


def large_group():
    """1,000 members with two active tasks each, a standby of each second task, and some warm-ups."""
    members = [large_member(n) for n in range(LARGE_MEMBERS)]
    return {"group_id": "large", "type": "streams", "state": "Reconciling",
            "waiting_for": ["member-0007 restores 3_4"], "group_epoch": 9, "assignment_epoch": 9, "topology_epoch": 0,
            "members": members, "config": [], "timeline": []}


def large_member(n):
    active = {**of_task(n), **of_task(n + LARGE_MEMBERS)}
    standby = of_task((n + THREADS) % LARGE_MEMBERS + LARGE_MEMBERS)
    warmup = of_task((n + 2 * THREADS) % LARGE_MEMBERS) if n % 50 == 0 else {}
    offsets = {subtopology: {str(p): 8766 for p in partitions} for subtopology, partitions in warmup.items()}
    ends = {subtopology: {str(p): 10_000 for p in partitions} for subtopology, partitions in warmup.items()}
    assigned = {"active": active, "standby": standby, "warmup": warmup}
    return {"member_id": f"member-{n:04}", "instance_id": None, "process_id": f"process-{n // THREADS:03}",
            "client_id": "large", "client_host": "/127.0.0.1", "rack_id": None, "client_tags": {},
            "user_endpoint": None, "state": "STABLE", "member_epoch": 9, "previous_member_epoch": 8,
            "topology_epoch": 0, "rebalance_timeout_ms": 60000, "assigned": assigned, "to_revoke": NONE,
            "target": assigned,
            "session_ends_in_ms": 40_000, "revocation_ends_in_ms": None, "task_offsets": offsets,
            "task_end_offsets": ends}


def of_task(number):
    return {str(number // PARTITIONS): [number % PARTITIONS]}


def described_topology():
    """Two subtopologies with their processors, one with a store."""
    def node(name, kind, successors=(), **of):
        return {"name": name, "type": kind, "source_topics": [], "sink_topic": None, "stores": [],
                "successors": list(successors), **of}
    first = [node("SOURCE", "source", ["SPLIT"], source_topics=["lines"]), node("SPLIT", "processor", ["SINK"]),
             node("SINK", "sink", sink_topic="words")]
    second = [node("SOURCE", "source", ["COUNT"], source_topics=["words"]),
              node("COUNT", "processor", stores=["counts"])]
    parts = [{"subtopology_id": str(i), "source_topics": ["lines"] if i == 0 else [], "repartition_source_topics": [],
              "repartition_sink_topics": ["words"] if i == 0 else [], "state_changelog_topics": []} for i in range(2)]
    described = [{"subtopology_id": str(i), "nodes": nodes} for i, nodes in enumerate((first, second))]
    return {"group_id": "g", "topology_epoch": 0, "subtopologies": parts,
            "description": {"subtopologies": described, "global_stores": []}}


def story():
    """One page of a timeline: a target that moved a task, with its durations."""
    item = {"index": 7, "time": "2026-01-02T03:04:05.678Z", "cause": "target-computed", "group_epoch": 5,
            "assignment_epoch": 5, "member_id": "", "process_id": "", "client_id": "", "client_host": "",
            "changes": [{"what": "rack_id", "old": None, "new": "r1"}], "detail": "", "assignor": "sticky",
            "computed_in_ms": 0.42, "tasks_moved": 1,
            "moved": [{"task": "1_3", "role": "active", "from": "from-member", "to": "to-member"}],
            "moved_truncated": False, "stable_after_ms": 1500, "last_member": "from-member",
            "last_reason": "unrevoked", "by": None}
    return {"items": [item], "next": None}


def what_if():
    """The answer to a question."""
    return {"assignor": "sticky", "group_epoch": 5, "before": {"active_per_thread_max": 4, "idle_members": []},
            "after": {"active_per_thread_max": 3, "idle_members": []}, "tasks_moved": 3, "state_to_restore": 1200,
            "moved": [{"task": f"1_{n}", "role": "active", "from": "a", "to": "b", "restore": 400} for n in range(3)],
            "target": {"a": {"active": {"1": [0]}, "standby": {}}}, "warnings": ["all standbys in one rack"]}
