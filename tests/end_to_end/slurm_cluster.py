"""A Slurm of its own on this machine: a controller and nodes whose daemons are processes of the test.

Needs root and Debian's packages slurm-wlm and munge. Nodes have two processors each, and two made-up GPUs.
"""
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest.mock

from terrace_runs import JobTest, skip

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "sinfo")
NODES = 2
SETTINGS = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=3
SlurmdTimeout=10
GresTypes=gpu
MaxArraySize={array_size}
PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP
"""


def free_ports(count):
    """Ports that nothing listens at."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Cluster:
    """Started by `start`, ended by `stop`."""

    def __init__(self, array_size=1001):
        missing = [name for name in PROGRAMS if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is None]
        if missing:
            skip(f"Slurm is not installed: {', '.join(missing)} (Debian: slurm-wlm, munge)")
        if os.geteuid() != 0:
            skip("the daemons of Slurm run as root")
        # The socket's path must be short, and every folder above it root's alone to write.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="slurm-", dir="/run"))
        self.folder.chmod(0o755)
        self.array_size = array_size
        self.daemons = {}
        self.waiting = {}  # jobs, and since when
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": os.environ["PATH"] + ":/usr/sbin"}
        for name in [name for name in self.environment if name.startswith("SLURM_") and name != "SLURM_CONF"]:
            del self.environment[name]

    def start(self):
        """Starts the daemons; where they cannot run, as in a container that makes no devices, the tests are skipped."""
        try:
            self.begin_all()
        except (AssertionError, OSError, subprocess.SubprocessError) as error:
            self.stop()
            skip(f"Slurm does not start here: {str(error)[:2000]}")

    def begin_all(self):
        host = socket.gethostname().split(".")[0]
        controller, *ports = free_ports(1 + NODES)
        lines = SETTINGS.format(host=host, controller=controller, folder=self.folder, array_size=self.array_size)
        devices = ""
        for number, port in enumerate(ports):
            gpus = []
            for gpu in range(2):
                path = self.folder / f"gpu{number}{gpu}"
                os.mknod(path, 0o20666, os.makedev(1, 3))
                gpus.append(str(path))
            node = f"node{number}"
            lines += f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=4000 Gres=gpu:2\n"
            devices += "".join(f"NodeName={node} Name=gpu File={gpu}\n" for gpu in gpus)
        (self.folder / "slurm.conf").write_text(lines)
        (self.folder / "gres.conf").write_text(devices)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        self.run("munged", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                 f"--pid-file={self.folder}/munged.pid", f"--log-file={self.folder}/munged.log",
                 f"--seed-file={self.folder}/munge.seed", "--force")
        self.begin("controller", "slurmctld", "-D")
        for number in range(NODES):
            self.begin_node(number)
        self.wait_for(lambda: self.run("sinfo", "-hNo", "%T").split().count("idle") == NODES, 30, "nodes that are idle")

    def begin(self, name, *command):
        with open(self.folder / f"{name}.said", "a") as said:
            self.daemons[name] = subprocess.Popen([*command, "-f", self.folder / "slurm.conf"], env=self.environment,
                                                  stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                                  start_new_session=True)

    def begin_node(self, number):
        self.begin(f"node{number}", "slurmd", "-D", "-N", f"node{number}")

    def lose(self, node):
        """Kills all that runs on a node: its daemon, the daemons of its jobs, and their processes."""
        self.daemons[node].kill()
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes().split(b"\0")
                command = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            of_job = f"SLURMD_NODENAME={node}".encode() in environment and \
                f"SLURM_CONF={self.folder}/slurm.conf".encode() in environment
            of_daemon = command.startswith(b"slurmstepd") and f"SLURM_CONF={self.folder}".encode() in b"".join(environment)
            if of_job or of_daemon:
                try:
                    os.kill(int(folder.name), 9)
                except ProcessLookupError:
                    pass
        self.daemons[node].wait()

    def stop(self):
        if "controller" in self.daemons and self.daemons["controller"].poll() is None:
            self.run("scancel", "--full", "-s", "KILL", "--state=RUNNING", check=False)
            self.run("scancel", "-u", "root", check=False)
            time.sleep(0.5)
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        if (self.folder / "munged.pid").exists():
            os.kill(int((self.folder / "munged.pid").read_text()), 15)
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *command, check=True, **options):
        """Standard output of a command of Slurm."""
        ended = subprocess.run([str(word) for word in command], env=self.environment, capture_output=True, text=True,
                               timeout=60, **options)
        if check and ended.returncode != 0:
            raise AssertionError(f"{command}: {ended.stdout}{ended.stderr}")
        return ended.stdout

    def wait_for(self, holds, seconds, what):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                logs = "\n".join((path.name + "\n" + path.read_text()[-2000:]) for path in self.folder.glob("*.log"))
                raise AssertionError(f"after {seconds} s there are no {what}\n{logs}")
            time.sleep(0.1)

    def queue(self):
        """Jobs in the queue and their states, by "7" or "7_3"."""
        lines = self.run("squeue", "-h", "-r", "-t", "all", "-o", "%i %T").splitlines()
        return dict(line.split() for line in lines)

    def let_begin(self):
        """Lets jobs begin that wait, after a requeue two minutes, for their time.

        They wait for two seconds: a node refuses a job that begins in the second in which it was ended there."""
        now = time.monotonic()
        waiting = {job for job, state in self.queue().items() if state == "PENDING"}
        self.waiting = {job: self.waiting.get(job, now) for job in waiting}
        for job, since in self.waiting.items():
            if now - since > 2:
                self.run("scontrol", "update", f"JobId={job}", "StartTime=now", check=False)

    def wait_until_empty(self, seconds=240):
        """Waits until no job waits or runs, letting each that was put back begin at once."""
        def is_empty():
            self.let_begin()
            return not any(state in ("PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "REQUEUED")
                           for state in self.queue().values())
        self.wait_for(is_empty, seconds, "jobs that have ended")


class QueueTest(JobTest):
    """Tests with a cluster, which they share, and in whose environment they run."""

    place = None
    array_size = 1001  # of the site: MaxArraySize

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls.array_size)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        super().setUp()
        patched = unittest.mock.patch.dict(os.environ, self.cluster.environment)
        patched.start()
        self.addCleanup(patched.stop)
        self.addCleanup(self.cluster.run, "scancel", "-u", "root", check=False)
