"""Every mistake gets a clear error: wrong configuration, taken ports and folders, a missing upstream, malformed frames.

    python3 tests/integration/bad_input.py [--binary build/release/weir] [--only NAME]
"""
import contextlib
import http.client
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

from ports import free_port, wait_until  # noqa: E402
from suite import Failure, expect, options_of, run_suite  # noqa: E402
from weir import Weir  # noqa: E402
from wire import request_frame  # noqa: E402

REFUSAL_SECONDS = 10
CLOSE_SECONDS = 10
NOT_AVAILABLE, UNSUPPORTED_VERSION, SERVER_ERROR = 15, 35, -1
JSON = {"Content-Type": "application/json"}


class BadInput:
    """Each method `test_*` is one mistake; `binary` is the weir to make it with."""

    def __init__(self, binary):
        self.binary = binary

    def weir(self, settings=None, **options):
        return Weir(settings, self.binary, **options)

    def refused(self, weir, *patterns):
        """Starts a Weir that must not start, and checks that what it says matches every pattern."""
        try:
            status = weir.launch().process.wait(REFUSAL_SECONDS)
            said = weir.process.output()
        finally:
            weir.close()
        expect(status > 0, f"ended with status {status}:\n{said}")
        for pattern in patterns:
            expect(re.search(pattern, said, re.IGNORECASE), f"nothing like '{pattern}' in:\n{said}")
        expect(len(said) < 3000, f"{len(said)} characters for one mistake:\n{said}")

    def with_file(self, text, *patterns):
        weir = self.weir()
        weir.config = weir.folder / "mistake.toml"
        weir.config.write_text(text)
        self.refused(weir, *patterns)

    # --- configuration ----------------------------------------------------------------------------------------

    def test_unknown_key_names_the_nearest(self):
        self.refused(self.weir({"group.streams.sesion.timeout.ms": 45000}),
                     r"group\.streams\.sesion\.timeout\.ms", r"group\.streams\.session\.timeout\.ms")

    def test_unknown_key_in_a_file_names_line_and_nearest(self):
        self.with_file('# two lines\ngroup.streams.num.standby.replica = 1\n',
                       r"mistake\.toml:2", r"group\.streams\.num\.standby\.replicas\b")

    def test_value_out_of_range_names_the_range(self):
        self.refused(self.weir({"group.streams.session.timeout.ms": 100}), r"session\.timeout\.ms", "45000", "60000")

    def test_value_out_of_the_range_of_its_key_names_it(self):
        self.refused(self.weir({"max.connections": 0}), r"max\.connections", r"\b1\b", "1000000")

    def test_value_of_the_wrong_type(self):
        self.refused(self.weir({"group.streams.max.size": "many"}), r"group\.streams\.max\.size", "integer", "many")

    def test_choice_names_the_choices(self):
        self.refused(self.weir({"mode": "clustered"}), "mode", "embedded", "gateway")

    def test_set_without_a_value(self):
        weir = self.weir()
        weir.command = lambda: [weir.binary, "serve", "--set", "mode"]
        self.refused(weir, "key=value")

    def test_file_that_is_no_toml_names_the_line(self):
        self.with_file('mode = "embedded"\nlisteners = [\n', r"mistake\.toml", r"\b[23]\b")

    def test_missing_file_is_named(self):
        weir = self.weir()
        weir.config = weir.folder / "absent.toml"
        self.refused(weir, r"absent\.toml")

    def test_listener_that_is_no_address(self):
        self.refused(self.weir({"listeners": "PLAINTEXT//127.0.0.1"}), "listeners", r"PLAINTEXT://")

    def test_gateway_without_upstream(self):
        self.refused(self.weir({"mode": "gateway"}), r"upstream\.bootstrap\.servers")

    def test_config_check_names_every_mistake_once(self):
        weir = self.weir()
        try:
            file = weir.folder / "mistakes.toml"
            file.write_text('io.threads = 0\nlisteners = ["localhost:9092"]\nupstream.bootstrap.servers = "broker"\n'
                            'group.streams.assignors = ["stickty"]\ngroup.streams.session.timeout.ms = 100\n')
            for command in (["config", "check"], ["serve"]):
                status, said = self.run(*command, "--config", file)
                expect(status == 2, f"status {status}:\n{said}")
                starts = [line.split(": '")[0] for line in said.splitlines()]
                expect(starts == [f"weir: {file}:{number}" for number in range(1, 6)], f"not as in the file:\n{said}")
        finally:
            weir.close()

    def test_control_characters_name_their_key(self):
        self.with_file('data.dir = "data\\u0000etc"\n', r"mistake\.toml:1: 'data\.dir'.*control", r"\\x00")
        self.refused(self.weir({"broker.rack": "a\x1bb"}), r"--set: 'broker\.rack'.*control")

    def test_addresses_that_clients_cannot_reach(self):
        for address in ("0.0.0.0:9092", "[::]:9092", ":9092", "127.0.0.1:0"):
            self.refused(self.weir({"advertised.listeners": f"PLAINTEXT://{address}"}), r"'advertised\.listeners' must")

    def test_listeners_for_everybody_are_warned_about(self):
        port, http_port = free_port(), free_port()
        settings = {"listeners": f"PLAINTEXT://:{port}", "http.listeners": f"http://0.0.0.0:{http_port}"}
        sets = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        status, said = self.run("config", "check", *sets)
        expect(status == 0, f"status {status}:\n{said}")
        with self.weir(settings) as weir:
            for text in (said, weir.process.output()):
                expect(re.search(r"localhost.*'advertised\.listeners'", text), f"no warning about listeners:\n{text}")
                expect(re.search(r"'http\.token_file', .*127\.0\.0\.1", text), f"no warning about HTTP:\n{text}")
            weir.stop()

    def test_what_is_printed_to_closed_streams_does_not_reach_the_data_folder(self):
        port = free_port()
        with tempfile.TemporaryDirectory(prefix="weir-closed-") as folder:
            process = subprocess.Popen(
                ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", self.binary, "serve", "--set", f"data.dir={folder}/data",
                 "--set", f"listeners=PLAINTEXT://127.0.0.1:{port}", "--set", "http.listeners="])
            try:
                with socket.socket() as client:
                    wait_until(lambda: client.connect_ex(("127.0.0.1", port)) == 0, REFUSAL_SECONDS, "it answers")
            finally:
                process.terminate()
                process.wait(CLOSE_SECONDS)
            status, said = self.run("groups", "export", "--data-dir", f"{folder}/data")
            expect(status == 0, f"the folder cannot be read, status {status}:\n{said}")

    def test_far_names_get_no_suggestion(self):
        status, said = self.run("config", "check", "--set", "kafka.broker.port=1")
        expect(status == 2 and "did you mean" not in said and "--template" in said, f"status {status}:\n{said}")

    def test_unknown_commands_list_those_there_are(self):
        for words, patterns in ((["srve"], ["'srve'", "'serve'", "config, groups, simulate"]),
                                (["frobnicate"], ["'frobnicate'", "serve, config, groups, simulate"]),
                                (["config", "chek"], ["'chek'", "'check'", "print"]),
                                (["groups"], ["missing", "list, describe"]), ([], ["missing", "simulate"])):
            status, said = self.run(*words)
            expect(status == 2, f"{words}: status {status}:\n{said}")
            for pattern in patterns:
                expect(pattern in said, f"{words}: no {pattern} in:\n{said}")

    def run(self, *words):
        command = [self.binary, *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=REFUSAL_SECONDS, check=False)
        return done.returncode, done.stdout + done.stderr

    # --- ports and folders ------------------------------------------------------------------------------------

    def test_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.refused(self.weir({"listeners": f"PLAINTEXT://127.0.0.1:{port}"}), str(port), "in use")

    def test_http_port_in_use(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.refused(self.weir({"http.listeners": f"http://127.0.0.1:{port}"}), str(port), "in use")

    def test_data_folder_of_another_process(self):
        with self.weir() as first:
            folder = first.settings["data.dir"]
            self.refused(self.weir({"data.dir": folder}), re.escape(folder), rf"in use.*\b{first.process.pid}\b")
            expect(first.http("/readyz")[0] == 200, "the first process is no longer ready")

    def test_data_folder_of_a_newer_format(self):
        with self.weir() as weir:
            weir.stop()
            files = [p for p in pathlib.Path(weir.settings["data.dir"]).rglob("*") if p.is_file()]
            marked = [p for p in files if b"format1" in p.read_bytes()]
            expect(marked, f"no format in {files}")
            for path in marked:
                path.write_bytes(path.read_bytes().replace(b"format1", b"format9"))
            weir.launch()
            status, said = weir.process.wait(REFUSAL_SECONDS), weir.process.output()
            expect(status > 0 and re.search(r"format 9.*newer", said), f"status {status}:\n{said}")

    def test_data_folder_that_cannot_be_made(self):
        self.refused(self.weir({"data.dir": "/proc/weir-data"}), "/proc/weir-data")

    def test_folder_is_free_after_a_kill(self):
        with self.weir() as weir:
            weir.kill()
            weir.start()
            weir.stop()

    # --- upstream ---------------------------------------------------------------------------------------------

    def test_upstream_unreachable_shows_in_readyz(self):
        upstream = f"127.0.0.1:{free_port()}"
        weir = self.weir({"mode": "gateway", "upstream.bootstrap.servers": upstream})
        try:
            weir.launch()
            wait_until(lambda: self.answers(weir, "/livez")[0] == 200, REFUSAL_SECONDS, "/livez answers 200")
            wait_until(lambda: "refused" in self.answers(weir, "/readyz")[1], REFUSAL_SECONDS, "the reason in /readyz")
            status, text = self.answers(weir, "/readyz")
            faults = [line for line in text.splitlines() if line.startswith("[-]")]
            expect(status == 503 and len(faults) == 1, f"/readyz: {status} {text}")
            expect(faults[0].count(upstream) == 1 and "Connection refused" in faults[0], f"/readyz: {text}")
            weir.process.wait_for("weir ready", REFUSAL_SECONDS)
            self.no_upstream_for_clients(weir)
            lines = [line for line in weir.process.output().splitlines() if upstream in line]
            expect(weir.process.alive(), f"it ended:\n{weir.process.tail()}")
            expect(len(lines) < 60, f"{len(lines)} lines about the upstream: no back-off")
            weir.stop()
        finally:
            weir.close()

    def test_a_gateway_that_is_its_own_upstream_says_so(self):
        weir = self.weir({"mode": "gateway", "upstream.poll.interval.ms": 20})
        weir.settings["upstream.bootstrap.servers"] = f"localhost:{weir.port}"
        try:
            weir.start()
            wait_until(lambda: "itself" in self.answers(weir, "/readyz")[1], REFUSAL_SECONDS, "the reason in /readyz")
            status, text = self.answers(weir, "/readyz")
            expect(status == 503 and "upstream.bootstrap.servers" in text, f"/readyz: {status} {text}")
            wait_until(lambda: "it is this gateway itself" in weir.process.output(), REFUSAL_SECONDS, "a log line")
            self.no_upstream_for_clients(weir, "its own upstream")
            lines = [line for line in weir.process.output().splitlines() if "upstream is not usable" in line]
            expect(len(lines) <= 2, f"{len(lines)} lines about the upstream")
            with weir.client() as client:
                client.call("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": ["app"]})
            metrics = weir.http("/metrics")[1]
            expect(weir.process.alive() and "weir_connections" in str(metrics), f"it ended:\n{weir.process.tail()}")
            weir.stop()
        finally:
            weir.close()

    @staticmethod
    def no_upstream_for_clients(weir, reason="Connection refused"):
        """Clients are told at once, in Kafka's way, and are not blamed."""
        with weir.client(timeout=5) as client:
            found = client.call("FindCoordinator", 4, {"KeyType": 0, "CoordinatorKeys": ["app"]})["Coordinators"][0]
            expect(found["ErrorCode"] == NOT_AVAILABLE and found["Key"] == "app", f"version 4: {found}")
            expect(client.call("FindCoordinator", 2, {"Key": "app"})["ErrorCode"] == NOT_AVAILABLE, "version 2")
            client.send("Metadata", 12, {"Topics": []})
            expect(client.socket.recv(1) == b"", "Metadata was answered")
        closed = wait_until(lambda: weir.process.find("connection closed"), CLOSE_SECONDS, "a line about the close")
        expect(reason in closed, closed)
        expect("weir_protocol_errors_total 0" in weir.http("/metrics")[1], "the client is blamed")

    @staticmethod
    def answers(weir, path):
        expect(weir.process.alive(), f"it ended:\n{weir.process.tail()}")
        try:
            return weir.http(path)
        except OSError:
            return 0, ""

    # --- frames -----------------------------------------------------------------------------------------------

    def test_malformed_frames_close_only_their_own_connection(self):
        join = request_frame("StreamsGroupHeartbeat", 1, {"GroupId": "g", "MemberId": "m", "MemberEpoch": 0}, 7)
        frames = {
            "a negative length": struct.pack(">i", -1),
            "a length above the limit": struct.pack(">i", 0x7fffffff) + b"x" * 64,
            "no room for a header": struct.pack(">ihh", 4, 88, 1),
            "an unknown api key": struct.pack(">ihhih", 10, 9999, 0, 1, -1),
            "a client id longer than the frame": struct.pack(">ihhih", 10, 88, 1, 1, 30000),
            "bytes behind the message": struct.pack(">i", len(join) - 1) + join[4:] + b"\0\0\0",
            "a message cut off": struct.pack(">i", len(join) - 14) + join[4:-10],
            "an array of two thousand million": struct.pack(">ihhih", 14, 3, 0, 1, -1) + struct.pack(">i", 2000000000),
            "a topic name that is no UTF-8 text and too long": struct.pack(">ihhihih", 16, 3, 0, 1, -1, 1, 0x7fff),
        }
        with self.weir() as weir, weir.client() as bystander:
            for what, frame in frames.items():
                lines = len(weir.process.output().splitlines())
                with socket.create_connection(("127.0.0.1", weir.port), CLOSE_SECONDS) as broken:
                    broken.sendall(frame)
                    try:
                        expect(broken.recv(100) == b"", f"{what} was answered")
                    except TimeoutError:
                        raise Failure(f"{what}: the connection stays open") from None
                    except ConnectionResetError:
                        pass
                expect(bystander.call("Metadata", 12, {"Topics": []})["Brokers"], f"{what} harmed another connection")
                wait_until(lambda: len(weir.process.output().splitlines()) > lines, CLOSE_SECONDS,
                           f"a log line about {what}")
            weir.stop()

    def test_a_flood_of_malformed_frames_is_counted_and_does_not_fill_the_log(self):
        with self.weir() as weir:
            for _ in range(200):
                with socket.create_connection(("127.0.0.1", weir.port), CLOSE_SECONDS) as broken:
                    broken.sendall(struct.pack(">i", -1))
                    expect(broken.recv(100) == b"", "a negative length was answered")
            counted = re.search(r"weir_protocol_errors_total (\d+)", weir.http("/metrics")[1])
            expect(counted and int(counted[1]) == 200, f"counted: {counted and counted[1]}")
            lines = [line for line in weir.process.output().splitlines() if "connection closed" in line]
            expect(0 < len(lines) < 100, f"{len(lines)} lines about 200 connections")
            weir.stop()

    def test_a_client_that_ends_its_side_gets_its_answers(self):
        with self.weir() as weir, weir.client() as client:
            for correlation in range(1, 4):
                client.socket.sendall(request_frame("Metadata", 12, {"Topics": []}, correlation))
            client.socket.shutdown(socket.SHUT_WR)
            for correlation in range(1, 4):
                expect(struct.unpack(">i", client.receive_frame()[:4])[0] == correlation, "not the next answer")
            expect(client.socket.recv(1) == b"", "the connection stays open")
            weir.stop()

    def test_connections_beyond_the_file_descriptors(self):
        weir = self.weir()
        plain = weir.command
        weir.command = lambda: ["sh", "-c", 'ulimit -n 120; exec "$@"', "sh", *plain()]
        with weir, contextlib.ExitStack() as stack:
            expect(weir.process.find("file descriptors"), "nothing said that the limit is low")
            for _ in range(200):
                stack.enter_context(socket.create_connection(("127.0.0.1", weir.port), CLOSE_SECONDS))
            expect(weir.http("/livez")[0] == 200, "/livez with every descriptor taken")
            stack.close()
            with weir.client() as client:
                expect(client.call("Metadata", 12, {"Topics": []})["Brokers"], "not served after the flood")
            weir.stop()

    def test_too_few_file_descriptors(self):
        weir = self.weir()
        plain = weir.command
        weir.command = lambda: ["sh", "-c", 'ulimit -n 64; exec "$@"', "sh", *plain()]
        self.refused(weir, "64 file descriptors", "ulimit -n", "LimitNOFILE")

    def test_a_topology_of_too_many_tasks_says_why(self):
        with self.weir({"group.streams.initial.rebalance.delay.ms": 0}) as weir, weir.client() as client:
            expect(weir.http("/v1/topics", "POST", {"name": "many", "partitions": 100000})[0] == 201, "no topic")
            parts = [{"SubtopologyId": str(number), "SourceTopics": ["many"]} for number in range(170)]
            join = {"GroupId": "vast", "MemberId": "m", "MemberEpoch": 0, "EndpointInformationEpoch": -1,
                    "ProcessId": "p", "RebalanceTimeoutMs": 30000, "ActiveTasks": [], "StandbyTasks": [],
                    "WarmupTasks": [], "Topology": {"Epoch": 0, "Subtopologies": parts}}
            for _ in range(30):
                answer = client.call("StreamsGroupHeartbeat", 1, join)
                expect(answer["ErrorCode"] == SERVER_ERROR and "tasks" in (answer["ErrorMessage"] or ""), f"{answer}")
            lines = [line for line in weir.process.output().splitlines() if "group=vast" in line]
            expect(0 < len(lines) < 30 and "WARN" in lines[0] and "tasks" in lines[0], f"lines: {lines}")
            weir.stop()

    def test_unknown_version_of_api_versions(self):
        with self.weir() as weir, weir.client() as client:
            frame = struct.pack(">ihhihB", 11, 18, 99, 5, -1, 0)
            client.socket.sendall(frame)
            payload = client.receive_frame()
            correlation, code = struct.unpack(">ih", payload[:6])
            expect((correlation, code) == (5, UNSUPPORTED_VERSION), f"answered {payload.hex()}")
            expect(client.call("Metadata", 12, {"Topics": []})["Brokers"], "the connection does not go on")

    def test_half_a_frame_does_not_delay_others(self):
        with self.weir() as weir, socket.create_connection(("127.0.0.1", weir.port), CLOSE_SECONDS) as slow:
            slow.sendall(struct.pack(">i", 100) + b"half")
            with weir.client(timeout=5) as client:
                expect(client.call("Metadata", 12, {"Topics": []})["Brokers"], "another connection waits")
            weir.stop()

    # --- HTTP -------------------------------------------------------------------------------------------------

    def test_http_mistakes_get_problem_documents(self):
        with self.weir() as weir:
            expect(weir.http("/v1/groups/none")[0] == 404, "unknown group is not 404")
            problem = weir.http("/v1/groups/none")[1]
            expect(problem.get("status") == 404 and problem.get("title"), f"no problem document: {problem}")
            expect(weir.http("/nowhere")[0] == 404, "unknown path is not 404")
            expect(weir.http("/v1/groups", "DELETE")[0] == 405, "wrong method is not 405")
            status, problem = weir.http("/v1/topics", "POST", {"name": "bad topic!", "partitions": 1})
            expect(status in (400, 422) and "bad topic!" in str(problem), f"topic name: {status} {problem}")
            status, problem = weir.http("/v1/topics", "POST", {"name": "t", "partitions": -5})
            expect(status in (400, 422), f"partitions: {status} {problem}")
            status, problem = weir.http("/v1/topics", "POST", ["not", "an", "object"])
            expect(status == 400, f"body: {status} {problem}")
            status, problem = weir.http("/v1/topics", "POST", {"name": "t", "partitions": 1, "racks": [[7]]})
            expect(status == 400 and "racks[0][0]" in str(problem), f"racks: {status} {problem}")
            status, problem = weir.http("/readyz?exclude=bogus")
            expect(status == 400 and "serving, log" in str(problem), f"exclude: {status} {problem}")
            twice = http.client.HTTPConnection("127.0.0.1", weir.http_port, timeout=CLOSE_SECONDS)
            twice.request("POST", "/v1/topics", '{"name": "t", "name": "u"}', JSON)
            expect(twice.getresponse().status == 400, "a name given twice is not refused")
            twice.close()
            expect(weir.http("/v1/topics")[1]["items"] == [], "a refused topic was created")

    def test_slow_http_clients_do_not_delay_probes(self):
        with self.weir({"http.max.connections": 4}) as weir, contextlib.ExitStack() as stack:
            for _ in range(12):
                slow = socket.create_connection(("127.0.0.1", weir.http_port), CLOSE_SECONDS)
                stack.enter_context(slow).sendall(b"GET /livez HT")
                expect(weir.http("/livez")[0] == 200, "/livez waits for slow clients")
            weir.stop()


def main():
    options = options_of(__doc__).parse_args()
    return run_suite(BadInput(options.binary), options.only)


if __name__ == "__main__":
    sys.exit(main())
