# Entry point of the job that runs nodes.py: `. deployctl_ray_wrapper/report_nodes.sh`.
# A job's PATH is that of `ray start`, which may lack the Python of Ray. Its folder is found by the job's
# parent, an actor that has loaded Ray's library from it.
library='.* \(/.*\)/lib/python3[^/]*/[^/]*-packages/ray/_raylet\.so$'
beside=$(sed -n "s|$library|\1/bin/python3|p" "/proc/$PPID/maps" 2> /dev/null | head -n 1)
for python in "$beside" python3 python; do
  if "$python" -c "import ray" 2> /dev/null; then exec "$python" -m deployctl_ray_wrapper.nodes; fi
done
echo "The head has no Python with Ray on the PATH of ray start." >&2
exit 1
