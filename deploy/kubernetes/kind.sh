#!/bin/sh
# kind.sh: tries deploy/kubernetes/ on a Kubernetes in containers of this machine, and removes it.
# Needs docker, kind, kubectl, helm and a network.  Run it in the checkout, with
# deploy/settings/store.env filled in; the store must answer at port 443.
set -eu
cluster=segscore
image=segscore:0.3.0.dev0
overlay=$(mktemp -d -p deploy/kubernetes/overlays)
trap 'rm -r "$overlay"; kind delete cluster --name "$cluster"' EXIT

docker image inspect "$image" >/dev/null || docker build -f deploy/Dockerfile -t "$image" .
kind create cluster --name "$cluster" --wait 5m
kind load docker-image "$image" --name "$cluster"
helm install dask-operator dask-kubernetes-operator --repo https://helm.dask.org \
    -n dask-operator --create-namespace --wait
kubectl create namespace segscore
kubectl -n segscore create secret generic segscore-store --from-env-file=deploy/settings/store.env
cat >"$overlay/kustomization.yaml" <<EOF
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: segscore
resources: [../../base]
EOF
kubectl apply -k "$overlay"
kubectl -n segscore wait --for=condition=Available deployment --all --timeout=5m
kubectl -n segscore create job tonight --from=cronjob/segscore-nightly
kubectl -n segscore wait --for=condition=Complete job/tonight --timeout=15m ||
    echo "the night has not passed" >&2
kubectl -n segscore logs job/tonight
