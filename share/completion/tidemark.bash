# bash completion of tidemark; made by 'tidemark help --completion'.
_tidemark_value() {
  local value=$3
  case $1:$2 in
  check:--model) COMPREPLY=($(compgen -W 'pm cxl sc tso' -- "$value")) ;;
  check:--failures) COMPREPLY=() ;;
  check:--recover) COMPREPLY=() ;;
  check:--pm-path) COMPREPLY=() ;;
  check:--stdin) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--client) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--no-failures-in) COMPREPLY=() ;;
  check:--checksums) COMPREPLY=() ;;
  check:--machines) COMPREPLY=() ;;
  check:--machine) COMPREPLY=() ;;
  check:--coherence) COMPREPLY=($(compgen -W 'cxl3 cxlmc' -- "$value")) ;;
  check:--flush) COMPREPLY=($(compgen -W 'local global' -- "$value")) ;;
  check:--schedule) COMPREPLY=($(compgen -W 'fixed random pct: bounded: all' -- "$value")) ;;
  check:--seed) COMPREPLY=() ;;
  check:--runs) COMPREPLY=() ;;
  check:--jobs) COMPREPLY=() ;;
  check:--analyses) COMPREPLY=($(compgen -W 'robustness races flushes store-buffers ' -- "${value##*,}"))
    [[ $value == *,* ]] && COMPREPLY=("${COMPREPLY[@]/#/${value%,*},}") ;;
  check:--spurious) COMPREPLY=() ;;
  check:--timeouts) COMPREPLY=() ;;
  check:--unroll) COMPREPLY=() ;;
  check:--races) COMPREPLY=($(compgen -W 'prefix baseline' -- "$value")) ;;
  check:--fill) COMPREPLY=($(compgen -W 'zero garbage' -- "$value")) ;;
  check:--save) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--resume) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--shard) COMPREPLY=() ;;
  check:--max-executions) COMPREPLY=() ;;
  check:--max-steps) COMPREPLY=() ;;
  check:--hang-seconds) COMPREPLY=() ;;
  check:--memory) COMPREPLY=() ;;
  check:--timeout) COMPREPLY=() ;;
  check:--json) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--sarif) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--html) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--junit) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--fix) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--flush-function) COMPREPLY=() ;;
  check:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$value")) ;;
  check:--suppressions) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--write-suppressions) COMPREPLY=($(compgen -f -- "$value")) ;;
  check:--baseline) COMPREPLY=($(compgen -f -- "$value")) ;;
  replay:--stdin) COMPREPLY=($(compgen -f -- "$value")) ;;
  replay:--timeout) COMPREPLY=() ;;
  replay:--json) COMPREPLY=($(compgen -f -- "$value")) ;;
  replay:--sarif) COMPREPLY=($(compgen -f -- "$value")) ;;
  replay:--html) COMPREPLY=($(compgen -f -- "$value")) ;;
  replay:--junit) COMPREPLY=($(compgen -f -- "$value")) ;;
  replay:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$value")) ;;
  replay:--finding) COMPREPLY=() ;;
  replay:--token) COMPREPLY=() ;;
  merge:--json) COMPREPLY=($(compgen -f -- "$value")) ;;
  merge:--sarif) COMPREPLY=($(compgen -f -- "$value")) ;;
  merge:--html) COMPREPLY=($(compgen -f -- "$value")) ;;
  merge:--junit) COMPREPLY=($(compgen -f -- "$value")) ;;
  merge:--color) COMPREPLY=($(compgen -W 'auto always never' -- "$value")) ;;
  merge:--suppressions) COMPREPLY=($(compgen -f -- "$value")) ;;
  merge:--write-suppressions) COMPREPLY=($(compgen -f -- "$value")) ;;
  merge:--baseline) COMPREPLY=($(compgen -f -- "$value")) ;;
  litmus:--model) COMPREPLY=($(compgen -f -- "$value")) ;;
  litmus:--include) COMPREPLY=() ;;
  litmus:--core) COMPREPLY=($(compgen -W 'minimal fast none' -- "$value")) ;;
  litmus:--unroll) COMPREPLY=() ;;
  litmus:--json) COMPREPLY=($(compgen -f -- "$value")) ;;
  litmus:--expect) COMPREPLY=($(compgen -f -- "$value")) ;;
  litmus:--count) COMPREPLY=($(compgen -W 'states executions' -- "$value")) ;;
  litmus:--format) COMPREPLY=($(compgen -W 'text herd' -- "$value")) ;;
  litmus:--timeout) COMPREPLY=() ;;
  litmus:--jobs) COMPREPLY=() ;;
  litmus:--target) COMPREPLY=($(compgen -W 'sc x86 c11 aarch64 arm power riscv lkmm' -- "$value")) ;;
  litmus:--dot) COMPREPLY=($(compgen -f -- "$value")) ;;
  litmus:--svg) COMPREPLY=($(compgen -f -- "$value")) ;;
  esac
}

_tidemark() {
  local word previous words cword options='' command
  _get_comp_words_by_ref -n = -c word -p previous -w words -i cword 2>/dev/null || return
  COMPREPLY=()
  if ((cword == 1)); then
    COMPREPLY=($(compgen -W 'check replay merge status litmus help --help --version' -- "$word"))
    return
  fi
  command=${words[1]}
  if [[ $word == --*=* ]]; then
    _tidemark_value "$command" "${word%%=*}" "${word#*=}"
    return
  fi
  case $command in
  check) options='--help --model= --failures= --recover= --pm-path= --stdin= --client= --eadr --no-failures-in= --checksums= --machines= --machine= --gpf --poison --coherence= --flush= --schedule= --seed= --runs= --jobs= --analyses= --spurious= --timeouts= --reuse --unroll= --symmetry --no-data-races --races= --first --keep-going --isolate --no-share --count-eager --fill= --allow-empty --save= --resume= --shard= --max-executions= --max-steps= --hang-seconds= --memory= --timeout= --json= --sarif= --html= --junit= --fix= --verify-fix --flush-function= --program-output --quiet --color= --suppressions= --write-suppressions= --baseline=' ;;
  replay) options='--help --stdin= --timeout= --json= --sarif= --html= --junit= --quiet --color= --finding= --token= --gdb' ;;
  merge) options='--help --allow-empty --json= --sarif= --html= --junit= --quiet --color= --suppressions= --write-suppressions= --baseline=' ;;
  status) options='--help' ;;
  litmus) options='--help --model= --include= --states --core= --unroll= --json= --expect= --compare --count= --verdict-only --format= --timeout= --jobs= --target= --minimise-orders --distinct-actions --dot= --svg= --quiet --time --cross-check' ;;
  help) options='check replay merge status litmus' ;;
  esac
  if [[ $word == -* || $command == help ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
  else
    COMPREPLY=($(compgen -f -- "$word"))
    compopt -o filenames 2>/dev/null
  fi
}
complete -F _tidemark tidemark
