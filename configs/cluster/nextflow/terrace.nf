// A process that runs a job of Terrace for each sample. It was not run by a test.
//
//   include { terrace } from './terrace.nf'
//   workflow { terrace(file('align.yaml'), channel.fromPath('reads/*.fa'), file('reference.fa')) }
//
// The job is ../snakemake/align.yaml, or another one with inputs `reads` and `reference`. Exit code 75 means that a run
// has stopped at a checkpoint before its time was up. Nextflow tries again in a new work folder, so the run lives beside
// the published results, in `params.runs`, and the next attempt goes on with it.
params.runs = "${launchDir}/runs"

process terrace {
    cpus 1
    memory '1 GB'
    time '1h'
    errorStrategy { task.exitStatus == 75 ? 'retry' : 'terminate' }
    maxRetries 20
    publishDir 'scores', mode: 'copy'

    input:
    path job
    path reads
    path reference

    output:
    path "${reads.baseName}.h5"

    script:
    """
    mkdir -p ${params.runs}
    cp -L ${job} ${reads} ${reference} ${params.runs}
    terrace run ${params.runs}/${job} --set inputs.reads.fasta=${params.runs}/${reads} \\
        --set inputs.reference.fasta=${params.runs}/${reference} --set output=${params.runs}/${reads.baseName}.h5 \\
        --set memory.host=400MiB --threads ${task.cpus} --time-limit ${task.time.toMinutes()}min
    cp ${params.runs}/${reads.baseName}.h5 .
    """
}
