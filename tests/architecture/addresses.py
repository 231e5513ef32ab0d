"""Checks that no answer with addresses of brokers passes the gateway unread (spec 05, 8.3): by the schemas.

An API whose answer has a host and a port in a version that is offered must be rewritten or answered by the gateway
itself. Relayed APIs of which the project holds no schema were looked at by hand up to the version in LOOKED_AT: who
raises one in gateway/route_table.cpp looks again. Prints what is wrong, then "N passed, N failed" over the APIs.
"""
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "protocol" / "schemas"
TABLE = ROOT / "gateway" / "route_table.cpp"
ROW = re.compile(r"^\s*\{(\d+), route::(\w+), (\d+), (\d+), (?:true|false)\},\s*// (\w+)", re.MULTILINE)
PASSED_ON = ("relay",)
# DescribeQuorum tells those of controllers from version 2 on, for tools that print them; no client connects to them.
LOOKED_AT = {"AlterReplicaLogDirs": 2, "DescribeLogDirs": 5, "DescribeAcls": 3, "CreateAcls": 3, "DeleteAcls": 3,
             "CreateDelegationToken": 3, "RenewDelegationToken": 2, "ExpireDelegationToken": 2,
             "DescribeDelegationToken": 3, "ElectLeaders": 2, "AlterPartitionReassignments": 1,
             "ListPartitionReassignments": 0, "DescribeClientQuotas": 1, "AlterClientQuotas": 1,
             "DescribeUserScramCredentials": 0, "AlterUserScramCredentials": 0, "DescribeQuorum": 2,
             "UpdateFeatures": 2, "DescribeProducers": 0, "DescribeTransactions": 0, "ListTransactions": 2}


def exists_in(field, version):
    first, _, last = field.get("versions", "0+").partition("-")
    if first.endswith("+"):
        return version >= int(first[:-1])
    return int(first) <= version <= int(last or first)


def has_address(fields, structs, version):
    """Whether a structure of these fields, or one inside, has a host and a port in this version."""
    names = {field["name"] for field in fields if exists_in(field, version)}
    if {"Host", "Port"} <= names:
        return True
    inner = (field.get("fields") or structs.get(field["type"].removeprefix("[]"))
             for field in fields if exists_in(field, version))
    return any(has_address(fields, structs, version) for fields in inner if fields)


def problem(name, how, lowest, highest):
    path = SCHEMAS / f"{name}Response.json"
    if how not in PASSED_ON:
        return None
    if not path.exists():
        seen = LOOKED_AT.get(name)
        return None if seen == highest else f"has no schema and was looked at up to version {seen}"
    schema = json.loads(path.read_text())
    structs = {struct["name"]: struct["fields"] for struct in schema.get("commonStructs", [])}
    found = [v for v in range(lowest, highest + 1) if has_address(schema["fields"], structs, v)]
    return f"tells addresses in versions {found} and is relayed unread" if found else None


def self_check(rows):
    """What is known to have addresses must be seen to have them."""
    unread = [problem(name, "relay", lowest, highest) for name, how, lowest, highest in rows if how == "rewrite"]
    return all(unread) and len(unread) >= 5


def main():
    rows = [(name, how, int(lowest), int(highest))
            for _, how, lowest, highest, name in ROW.findall(TABLE.read_text())]
    failures = [f"{name}: {why}" for name, how, lowest, highest in rows if (why := problem(name, how, lowest, highest))]
    if not self_check(rows):
        failures.append("the check does not see the addresses of Metadata, FindCoordinator and others")
    print("\n".join(failures) if failures else f"{len(rows)} APIs of the gateway tell no address of the upstream")
    print(f"{len(rows) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
