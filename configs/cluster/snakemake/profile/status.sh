#!/bin/bash
# status.sh JOB: says if a job of Slurm runs, has succeeded or has failed, in Snakemake's words.
said=$(scontrol show job "$1" --oneliner 2>&1)
case $said in
  *JobState=COMPLETED*) echo success ;;
  *JobState=PENDING* | *JobState=CONFIGURING* | *JobState=RUNNING* | *JobState=COMPLETING*) echo running ;;
  *JobState=SUSPENDED* | *JobState=REQUEUED*) echo running ;;
  *JobState=* | *"Invalid job id"*) echo failed ;;
  *) echo running ;; # the controller does not answer
esac
