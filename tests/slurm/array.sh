#!/usr/bin/env bash
# A survey, and its migration, as an array of Slurm's tasks on this machine alone, against those of one run, byte for byte. Slurm's
# programs keep all of theirs in a folder of their own. cargo xtask test --slurm runs it.
#   array.sh HUYGENS JOB
set -euo pipefail
huygens=$(realpath "$1") job=$(realpath "$2")
at=$(mktemp -d)
cd "$at"
daemons=()
trap 'kill "${daemons[@]}" 2>/dev/null; wait; rm -rf "$at"' EXIT

# Who speaks to whom is proved by a key that is ours.
dd if=/dev/urandom of=munge.key bs=1024 count=1 status=none
chmod 600 munge.key
chmod 711 "$at"
munged --foreground --force --key-file="$at/munge.key" --socket="$at/munge.sock" \
    --pid-file="$at/munge.pid" --log-file="$at/munge.log" --seed-file="$at/munge.seed" &
daemons+=($!)

host=$(hostname -s)
cat > slurm.conf <<END
ClusterName=huygens
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$at/munge.sock
CredType=cred/munge
StateSaveLocation=$at/state
SlurmdSpoolDir=$at/spool
SlurmctldPidFile=$at/slurmctld.pid
SlurmdPidFile=$at/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmdParameters=config_overrides
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=8000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:4
END
export SLURM_CONF=$at/slurm.conf
mkdir state spool
slurmctld -D > slurmctld.log 2>&1 &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" > slurmd.log 2>&1 &
daemons+=($!)
for _ in $(seq 100); do sinfo -h -o %T 2>/dev/null | grep -qE 'idle|mixed' && break || sleep 0.2; done
sinfo || { cat slurmctld.log slurmd.log; exit 1; }

export PATH=$(dirname "$huygens"):$PATH
# A script of the job under a name; a cluster has nodes as large as its users' jobs, this one has what it is run on.
array() {
    cp "$job" "$1.toml"
    huygens check "$1.toml" --backend cpu --slurm 4 --run "$2" > array.sh
    cat array.sh
    sbatch --wait --cpus-per-task=1 --mem=0 array.sh || { cat slurm-*.out slurmctld.log slurmd.log; exit 1; }
    $(sed -n 's/^# When all are done: //p' array.sh)
}
array survey shot
huygens shot survey.toml --backend cpu --no-pictures --out alone
cmp survey/gathers.sgy alone/gathers.sgy
echo "four tasks of Slurm $(slurmd -V | cut -d' ' -f2) made the survey of one run, byte for byte"
array image rtm
huygens rtm image.toml --backend cpu --no-pictures --out image-alone
cmp image/image.npy image-alone/image.npy
cmp image/illumination.npy image-alone/illumination.npy
echo "and its image"
